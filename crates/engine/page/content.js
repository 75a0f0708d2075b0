// The page as clean HTML for reading: only what a person can see, shadow roots and slots in place, links absolute, and no tag or
// attribute that reading does not need. What becomes of it (main content, Markdown, text) is decided outside of the page.

const anchorHref = getter(HTMLAnchorElement.prototype, 'href');
const imageSource = getter(HTMLImageElement.prototype, 'src');
const rowsOf = getter(HTMLTableElement.prototype, 'rows');
const cellsOf = getter(HTMLTableRowElement.prototype, 'cells');

/** Tags that stay what they are. */
const KEPT = new Set(
  ('h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd blockquote figure figcaption b strong i em del s code sub sup article main section header ' +
    'footer nav aside address div').split(' '),
);
/** Deeper than this, elements keep their text but no tag: whoever parses this must not run out of stack. */
const DEEPEST_TAG = 100;
/** A table is not made wider than this by what its cells say they span. */
const WIDEST = 200;
/** What a table of data does not hold: it would not fit into a cell of Markdown. */
const NO_DATA = 'table, h1, h2, h3, h4, h5, h6, ul, ol, pre, iframe, p + p, section, article';
/** The same where cells are read one by one. */
const NO_CELLS = 'table, iframe';
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading]';

const MARKUP = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** @type {(text: string) => string} */
const escaped = text => text.replace(/[&<>"]/g, mark => MARKUP[mark]);

/** @param {Element} element @returns {string} what helps to find the main content: the page's own names for its parts */
const hints = element => {
  if (!hasAny(element) && tagOf(element) !== 'h1') return '';
  let text = '';
  for (const name of ['id', 'class', 'role']) {
    // An author's line is part of what there is to read; under these names it would be taken out.
    let value = attribute(element, name)?.replace(/\S*(byline|author|dateline|writtenby)\S*/gi, '') ?? '';
    // Looking for the main content makes second headings of first ones; by this they are known again.
    if (name === 'class' && tagOf(element) === 'h1') value += ' webhand-h1';
    if (value) text += ` ${name}="${escaped(value)}"`;
  }
  return text;
};

/** @param {Element} element @param {CSSStyleDeclaration} style @returns {string} the tag that it becomes; none for `display: contents` */
const tagFor = (element, style) => {
  const tag = tagOf(element);
  if (hasAny(element) && attribute(element, 'role') === 'heading') {
    return `h${Math.min(6, Math.max(1, parseInt(attribute(element, 'aria-level') ?? '2', 10) || 2))}`;
  }
  if (KEPT.has(tag)) return tag;
  const { display } = style;
  if (display === 'contents') return '';
  return display.startsWith('inline') || display.startsWith('ruby') ? 'span' : 'div';
};

/** @param {Element} anchor @returns {string} where the link goes; nothing for scripts and places in nowhere */
const linkOf = anchor => {
  if (!has(anchor, 'href') || attribute(anchor, 'href') === '#') return '';
  const href = anchorHref(anchor);
  return /^(javascript|data|blob|vbscript):/i.test(href) ? '' : href;
};

/** @param {Element} picture an `svg` or `math` @returns {string} what it says */
const pictureText = picture => {
  if (tagOf(picture) === 'math') return textContent(picture);
  const title = picture.querySelector('title');
  const texts = [...picture.querySelectorAll('text')].map(textContent).join(' ');
  return attribute(picture, 'aria-label') ?? (title ? textContent(title) : texts);
};

/** @param {Element} table @param {string} without @returns {boolean} whether it is a table to its readers, not only to its layout */
const isData = (table, without) => {
  if (/^(none|presentation)$/.test(attribute(table, 'role') ?? '') || table.querySelector(without)) return false;
  const rows = [...rowsOf(table)];
  return rows.some(row => cellsOf(row).length > 1) || table.querySelector('th') !== null;
};

/** @param {CSSStyleDeclaration} style @returns {boolean} whether a new line in the text is one on the page */
const keepsLines = style => /^(pre|break-spaces)/.test(style.whiteSpace) || style.whiteSpaceCollapse.startsWith('preserve');

/** Writes what is seen as HTML. One walk without recursion: pages can be deeper than a stack. */
class Writer {
  /** @param {boolean} isWhole whether pictures, the names of fields and the heads of tables are written too, which Markdown has no use for */
  constructor(isWhole) {
    this.isWhole = isWhole;
    this.out = [];
    this.frames = [];
    this.headline = '';
    /** How much text was written: what is between two readings of this is empty or not. */
    this.written = 0;
    /** Nodes with what is known around them, and functions to call when it is their turn. */
    this.todo = [];
  }

  /** @param {Element} start */
  run(start) {
    const around = { depth: 0, reach: reachOfPage(), style: null, isRaw: false, link: '', isInLink: false };
    this.todo.push([start, around]);
    while (this.todo.length) {
      const next = this.todo.pop();
      if (typeof next === 'function') next();
      else if (nodeType(next[0]) === 3) this.text(data(next[0]), next[1]);
      else if (nodeType(next[0]) === 1) this.element(...next);
    }
    return { html: this.out.join(''), frames: this.frames, headline: this.headline };
  }

  /** Puts off what follows, so that it comes in this order. */
  later(items) {
    for (let at = items.length - 1; at >= 0; at--) this.todo.push(items[at]);
  }

  put(markup) {
    this.out.push(markup);
  }

  text(text, around) {
    const isBlank = !/\S/.test(text);
    if (isBlank && !around.isRaw) {
      this.put(' ');
      return;
    }
    if (!(around.shows ??= showsText(around.style))) return;
    text = withoutUnseen(text);
    if (around.isRaw) this.put(escaped(text));
    else {
      const lines = /[\r\n]/.test(text) && keepsLines(around.style) ? text.split(/\r\n|\r|\n/) : [text];
      lines.forEach((line, at) => {
        if (at) this.put('<br>');
        line = line.replace(/[ \t\n\r\f]+/g, ' ');
        // What could pass for Markdown is only escaped at the beginning of a text.
        if (/^ [#>+=~\d-]/.test(line)) this.put(` <span>${escaped(line.slice(1))}</span>`);
        else this.put(escaped(line));
      });
    }
    if (!isBlank) this.written++;
  }

  /** A text that stands apart from what is beside it. */
  apart(text, around) {
    if (!text.trim()) return;
    this.put(' ');
    this.text(text, around);
    this.put(' ');
  }

  picture(element, inside) {
    const source = this.isWhole ? imageSource(element) : '';
    if (source && !/^(data|blob):/i.test(source)) this.put(`<img src="${escaped(source)}" alt="${escaped(attribute(element, 'alt') ?? '')}">`);
    else this.apart(attribute(element, 'alt') ?? '', inside);
  }

  /** What a field holds; with its name where that is wanted. */
  field(element, inside) {
    if (!this.isWhole || (tagOf(element) === 'input' && BUTTONS.has(inputType(element)))) return this.apart(fieldText(element), inside);
    this.put(`<data data-field="${escaped(nameOf(element, roleOf(element)))}">`);
    this.text(fieldText(element), inside);
    this.put('</data>');
  }

  element(element, around) {
    const tag = tagOf(element);
    if (NEVER_SHOWN.has(tag)) return;
    const style = styleOf(element);
    if (isGone(element, style, around.reach)) return;
    const inside = {
      ...around,
      depth: around.depth + 1,
      reach: reachInside(element, around.reach),
      style,
      shows: undefined,
    };
    if (tag === 'br') this.put(around.isRaw ? '\n' : around.isInLink ? ' ' : '<br>');
    else if (tag === 'hr') this.put(around.isInLink ? ' ' : '<hr>');
    else if (tag === 'img') this.picture(element, inside);
    else if (tag === 'svg' || tag === 'math') this.apart(flat(pictureText(element)), inside);
    else if (tag === 'input' || tag === 'select' || tag === 'textarea') this.field(element, inside);
    else if (tag === 'iframe' || tag === 'frame') this.frame(element, inside);
    else if (tag === 'a' && linkOf(element)) this.link(element, style, inside);
    else if (around.isRaw) this.children(element, style, inside);
    else if (tag === 'pre') this.code(element, style, inside);
    else if (tag === 'table' && !around.isInLink && isData(element, this.isWhole ? NO_CELLS : NO_DATA)) this.table(element, inside);
    else this.box(element, style, inside);
  }

  children(element, style, inside, close) {
    const items = flatChildren(element, style).map(child => [child, inside]);
    if (close) items.push(close);
    this.later(items);
  }

  box(element, style, inside) {
    const tag = tagFor(element, style);
    if (!tag || inside.depth > DEEPEST_TAG) return this.children(element, style, inside);
    const isInline = style.display.startsWith('inline');
    if (inside.isInLink && !/^(b|strong|i|em|del|s|code|sub|sup)$/.test(tag)) {
      // A link is one line.
      const space = style.display === 'inline' ? '' : ' ';
      this.put(space);
      return this.children(element, style, inside, () => this.put(space));
    }
    const isHeading = /^h[1-6]$/.test(tag);
    if (tag === 'h1' && !this.headline) this.headline = seenText(element);
    const [before, after] = isInline && style.display !== 'inline' ? [' ', ' '] : ['', ''];
    const start = tag === 'ol' && has(element, 'start') ? ` start="${parseInt(attribute(element, 'start'), 10) || 1}"` : '';
    // A link around a heading is a link in the heading.
    const isLinked = isHeading && inside.link;
    const opening = this.out.length;
    const { written } = this;
    this.put(`${before}<${tag}${hints(element)}${start}>${isLinked ? `<a href="${escaped(inside.link)}">` : ''}`);
    const within = isLinked ? { ...inside, link: '', isInLink: true } : inside;
    this.children(element, style, within, () => {
      if (this.written === written) this.out[opening] = before;
      else this.put(`${isLinked ? '</a>' : ''}</${tag}>${after}`);
    });
  }

  link(element, style, inside) {
    if (inside.isInLink || inside.isRaw) return this.children(element, style, inside);
    const href = linkOf(element);
    if (element.querySelector(HEADINGS)) {
      const tag = style.display === 'inline' ? 'span' : 'div';
      this.put(`<${tag}>`);
      return this.children(element, style, { ...inside, link: href }, () => this.put(`</${tag}>`));
    }
    const opening = this.out.length;
    const { written } = this;
    const isApart = style.display !== 'inline';
    this.put(`${isApart ? ' ' : ''}<a href="${escaped(href)}">`);
    this.children(element, style, { ...inside, isInLink: true }, () => {
      if (this.written === written) this.text(attribute(element, 'aria-label') ?? attribute(element, 'title') ?? '', inside);
      if (this.written === written) this.out[opening] = '';
      else this.put(`</a>${isApart ? ' ' : ''}`);
    });
  }

  code(element, style, inside) {
    const named = [element, element.querySelector('code')].filter(Boolean).map(code => attribute(code, 'class') ?? '').join(' ');
    const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(named)?.[1];
    this.put(`<pre><code${language ? ` class="language-${language}"` : ''}>`);
    this.children(element, style, { ...inside, isRaw: true }, () => this.put('</code></pre>'));
  }

  frame(element, inside) {
    if (inside.isRaw || inside.isInLink) return;
    const number = numberOf(element);
    this.frames.push(number);
    this.written++;
    this.put(`<webhand-frame n="${number}"></webhand-frame>`);
  }

  /** A table with as many cells in each row as it has columns: what spans several is followed by empty ones. */
  table(table, inside) {
    const caption = [...table.children].find(child => tagOf(child) === 'caption');
    const items = [];
    const put = markup => items.push(() => this.put(markup));
    if (caption) items.push([caption, inside]);
    // The summary marks it as data for whoever looks for the main content.
    put('<table summary="data"><tbody>');
    /** For each column, in how many of the next rows it is taken by a cell from above. */
    const taken = [];
    for (const row of rowsOf(table)) {
      const style = styleOf(row);
      if (!isRendered(row) || isGone(row, style, inside.reach)) continue;
      put('<tr>');
      let column = 0;
      const skip = () => {
        for (; taken[column] > 0; column++) {
          taken[column]--;
          put('<td></td>');
        }
      };
      for (const cell of cellsOf(row)) {
        const cellStyle = styleOf(cell);
        if (isGone(cell, cellStyle, inside.reach)) continue;
        skip();
        const within = { ...inside, depth: inside.depth + 3, style: cellStyle, shows: undefined };
        const isHead = this.isWhole && (tagOf(cell) === 'th' || tagOf(row.parentElement) === 'thead');
        put(isHead ? '<th>' : '<td>');
        for (const child of flatChildren(cell, cellStyle)) items.push([child, within]);
        put(isHead ? '</th>' : '</td>');
        const across = Math.max(1, Math.min(cell.colSpan || 1, WIDEST - column));
        for (let at = 0; at < across; at++, column++) {
          if (at) put('<td></td>');
          if (cell.rowSpan > 1) taken[column] = cell.rowSpan - 1;
        }
      }
      skip();
      put('</tr>');
    }
    put('</tbody></table>');
    this.later(items);
  }
}

/** @param {number | null} number an element, or none for the page @param {boolean} isWhole @returns {object | null} null if the element is gone */
const content = (number, isWhole) => {
  const start = number === null ? document.body ?? document.documentElement : elementOf(number);
  if (!start) return null;
  if (number !== null && !makeSeer()(start)) return { html: '', frames: [], headline: '' };
  return new Writer(isWhole).run(start);
};
