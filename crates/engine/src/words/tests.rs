//! Descriptions against small pages.

use super::*;
