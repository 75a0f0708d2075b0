//! The words of an instruction: which of them are names that a page or a schema has, which say nothing of what is wanted, and what is
//! left over. What is left over is a condition, and no answer is given that does not account for it.

use super::text::{is_joined, is_same, stems};

/// Words that say what to do and not what about.
const FILLER: &str = "extract get find read give me show list return collect tell fetch the a an of on in from for to with and \
    or all every each this that these is are what which how much please page webpage website site text \
    content contents information info details data value values its their whole entire complete everything \
    only listed shown displayed here also s";

/// The same in Chinese, where words are not parted: longer ones first.
const FILLER_CHINESE: &str = "当前页面 这个页面 页面上 页面中 页面里 是什么 是多少 有哪些 每一个 网页 \
    网站 页面 本页 提取 获取 读取 抓取 采集 帮我 给我 查找 找出 列出 列举 所有 \
    全部 每个 每条 各个 这些 哪些 内容 信息 数据 以及 还有 一下 上的 里的";

/// Particles, which may as well be a part of a longer word.
const PARTICLES_CHINESE: [char; 7] = ['请', '的', '中', '和', '与', '及', '之'];

/// Verbs only where an instruction begins with them.
const VERBS_CHINESE: [&str; 6] = ["返回", "显示", "查询", "输出", "告诉我", "只"];

/// Words that ask for everything of a kind.
const ALL: [&str; 5] = ["all", "every", "each", "list", "both"];
const ALL_CHINESE: [&str; 9] = ["所有", "全部", "每个", "每条", "每一", "各个", "列出", "一切", "逐个"];

/// Words that begin a question to be answered with yes or no.
const YES_OR_NO: [&str; 10] = ["is", "are", "was", "were", "does", "do", "did", "has", "have", "can"];
/// Words that ask for a number of things, or for a judgement.
const THOUGHT: [&str; 6] = ["how many", "number of", "多少个", "几个", "多少条", "是否"];

/// Stands where a name was.
const NAMED: char = '\u{1f}';

/// What somebody asks for.
#[derive(Clone)]
pub(super) struct Asked {
    text: String,
    /// Words that say nothing here, besides those that never do.
    without: Vec<&'static str>,
}

/// An instruction taken apart by some names.
pub(super) struct Parted {
    /// For each name, whether the instruction has it.
    pub(super) has: Vec<bool>,
    /// Its other words, without those that say nothing.
    pub(super) left: Vec<String>,
}

impl Asked {
    pub(super) fn new(instruction: &str) -> Asked {
        Asked { text: instruction.trim().to_owned(), without: Vec::new() }
    }

    /// The same where these words say nothing either.
    pub(super) fn without(self, words: &[&'static str]) -> Asked {
        Asked { without: [&self.without, words].concat(), ..self }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What the instruction is about.
    pub(super) fn words(&self) -> Vec<String> {
        let words = self.left(&[]);
        if !words.iter().any(|word| is_joined(word) && word.chars().count() == 1) {
            return words;
        }
        // A particle was a part of a word.
        pieces(&without_filler(&self.text)).filter(|word| !is_filler(word)).map(str::to_owned).collect()
    }

    /// What is left of the instruction without these names.
    pub(super) fn left(&self, names: &[&str]) -> Vec<String> {
        self.parted(names).left
    }

    /// Takes the instruction apart. A name of several words counts if the instruction has all of them.
    pub(super) fn parted(&self, names: &[&str]) -> Parted {
        let mut has = vec![false; names.len()];
        let mut text = self.text.clone();
        let mut joined: Vec<usize> = (0..names.len()).filter(|at| is_joined(names[*at])).collect();
        joined.sort_by_key(|at| std::cmp::Reverse(names[*at].len()));
        for at in joined {
            has[at] = text.contains(names[at]);
            text = text.replace(names[at], &format!(" {NAMED} "));
        }
        let mut left = Vec::new();
        if text.contains(&format!("{NAMED} 中")) {
            // `库存中的商品` is no list of 库存.
            left.push("中".to_owned());
        }
        let text = without_filler(&text);
        let text = self
            .without
            .iter()
            .filter(|word| is_joined(word))
            .fold(text, |text, word| text.replace(word, " "));
        let text = text.replace(PARTICLES_CHINESE, " ");
        let words: Vec<&str> = pieces(&text).collect();
        let own: Vec<String> = words.iter().flat_map(|word| stems(word)).collect();
        let mut named: Vec<String> = Vec::new();
        for (at, name) in names.iter().enumerate().filter(|(_, name)| !is_joined(name)) {
            let name = stems(name);
            if !name.is_empty() && name.iter().all(|word| own.contains(word)) {
                has[at] = true;
                named.extend(name);
            }
        }
        let is_named = |word: &str| {
            let word = stems(word);
            word.iter().all(|word| named.contains(word)) && !word.is_empty()
        };
        let says_nothing =
            |word: &str| is_filler(word) || self.without.iter().any(|other| is_same(other, word));
        for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != NAMED.to_string()) {
            // `products in stock` is no list of stocks.
            let is_condition = matches!(&*word.to_lowercase(), "in" | "on")
                && words.get(at + 1).is_some_and(|next| is_named(next) && !is_filler(next));
            if is_condition || !(is_named(word) || says_nothing(word)) {
                left.push((*word).to_owned());
            }
        }
        Parted { has, left }
    }

    /// Whether everything of a kind is wanted, and not one thing.
    pub(super) fn is_for_all(&self) -> bool {
        let text = self.text.to_lowercase();
        pieces(&text).any(|word| ALL.contains(&word)) || ALL_CHINESE.iter().any(|word| text.contains(word))
    }

    /// Whether an answer would have to be counted, judged or put together, and is not in the page as such.
    pub(super) fn needs_thought(&self) -> bool {
        let text = self.text.to_lowercase();
        let first = pieces(&text).next().unwrap_or_default();
        YES_OR_NO.contains(&first) || THOUGHT.iter().any(|words| text.contains(words))
    }
}

/// Whether names that hold for all of a part of the page (its headings, its caption) account for these words.
pub(super) fn covers(context: &str, words: &[String]) -> bool {
    let mut known = stems(context);
    known.extend(pieces(&without_filler(context).replace(PARTICLES_CHINESE, " ")).flat_map(stems));
    words.iter().all(|word| {
        let word = stems(word);
        !word.is_empty() && word.iter().all(|word| known.contains(word))
    })
}

/// Whether a word says nothing of what is wanted.
pub(super) fn is_filler(word: &str) -> bool {
    FILLER.split(' ').any(|filler| filler == word.to_lowercase())
}

fn without_filler(text: &str) -> String {
    let mut text = text.trim();
    while let Some(rest) = VERBS_CHINESE.iter().find_map(|verb| text.strip_prefix(verb)) {
        text = rest.trim_start();
    }
    FILLER_CHINESE.split(' ').fold(text.to_owned(), |text, word| text.replace(word, " "))
}

/// The words of a text. Marks count only where they compare.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts =
        text.split(|c: char| c.is_whitespace() || ",.;:?\"'“”‘’，。；：！？、()（）《》[]{}".contains(c));
    parts.filter(|word| word.contains(|c: char| c.is_alphanumeric() || c == NAMED || "<>=≥≤≠≈!".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_instruction_is_about() {
        for (instruction, words) in [
            ("Extract the price of the kettle.", "price kettle"),
            ("get all order numbers", "order numbers"),
            ("extract the text of this page", ""),
            ("提取订单的总价", "订单 总价"),
            ("目的地", "目的地"),
            ("中国", "中国"),
            ("", ""),
        ] {
            assert_eq!(Asked::new(instruction).words().join(" "), words, "{instruction}");
        }
        for (instruction, all) in [
            ("提取所有新闻的标题", true),
            ("list the prices", true),
            ("提取订单的总价", false),
            ("the wall clock", false),
        ] {
            assert_eq!(Asked::new(instruction).is_for_all(), all, "{instruction}");
        }
    }

    #[test]
    fn what_names_do_not_account_for() {
        let left = |instruction: &str, names: &[&str]| Asked::new(instruction).left(names).join(" ");
        let names = ["商品", "价格", "product", "price", "stock"];
        for instruction in [
            "提取所有商品和价格",
            "页面上的商品、价格",
            "商品/价格",
            "the page's products with their prices",
            "Extract all products and prices.",
            "Product, Price & stock",
        ] {
            assert_eq!(left(instruction, &names), "", "{instruction}");
        }
        for (instruction, rest) in [
            ("库存为0的商品", "库存为0"),
            ("价格低于3元的商品", "低于3元"),
            ("最便宜的商品", "最便宜"),
            ("除苹果以外的商品", "除苹果以外"),
            ("第一个商品", "第一个"),
            ("products in stock", "in"),
            ("price < 3", "< 3"),
            ("the product with price 2元", "2元"),
            ("only products that are out of stock", "out"),
        ] {
            assert_eq!(left(instruction, &names), rest, "{instruction}");
        }
        assert_eq!(left("库存中的商品", &["库存", "商品"]), "中");
        assert_eq!(left("orderTotal", &["order_total"]), "");
        assert_eq!(Asked::new("总价格").parted(&["价格", "总价格"]).has, [false, true]);
    }
}
