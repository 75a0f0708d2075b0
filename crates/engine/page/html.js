// The page's HTML as it is now.

const getHTMLOf = Element.prototype.getHTML;
const outerHTMLOf = getter(Element.prototype, 'outerHTML');

/** @param {string} html as the browser writes it: attributes in double quotes @returns {string} the same without passwords */
const withoutPasswords = html =>
  html.replace(/<input\b(?:"[^"]*"|[^">])*>/gi, tag =>
    /\stype="password"/i.test(tag) ? tag.replace(/(\svalue=")[^"]*"/gi, '$1"') : tag,
  );

/** @param {number | null} number an element, or none for the page @returns {string | null} null if the element is gone */
const html = number => {
  const element = number === null ? document.documentElement : elementOf(number);
  if (!element) return number === null ? '' : null;
  const inner = getHTMLOf.call(element, { serializableShadowRoots: true, shadowRoots: [...roots()].slice(1) });
  // The element's own tag, from a document in which nothing of it comes alive.
  const shell = outerHTMLOf(document.implementation.createHTMLDocument('').importNode(element, false));
  const end = shell.lastIndexOf('</');
  const outer = end < 0 ? shell : shell.slice(0, end) + inner + shell.slice(end);
  const doctype = number === null && document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  let written = withoutPasswords(doctype + outer);
  beginLabels();
  // A password that the page shows is one all the same.
  for (const root of roots()) {
    for (const field of select(root, 'input[value]:not([type=password])')) {
      if (!isSecret(field)) continue;
      const tag = outerHTMLOf(field);
      written = written.replaceAll(tag, tag.replace(/(\svalue=")[^"]*"/gi, '$1"'));
    }
  }
  return written;
};
