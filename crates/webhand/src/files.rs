//! Who knows which files a caller may name. The rules themselves are the guard's, see `guard::Files`.

pub(crate) use guard::Files;

/// Who knows where files of a caller are. It may have to ask the caller, so it is asked only if a file is named.
pub(crate) trait Folders: Sync {
    /// Where they are.
    fn files(&self) -> impl Future<Output = Files> + Send;
}

impl Folders for Files {
    async fn files(&self) -> Files {
        self.clone()
    }
}
