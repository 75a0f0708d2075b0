// Labels by their fields. A field's own `labels` is a live list that looks through the whole document each time it is asked: on a page
// of 20,000 elements and 2,000 fields that alone takes seconds.

/** @type {Map<Node, Map<Element, Element[]>>} by document or shadow root */
let labelMaps = new Map();
const controlOf = getter(HTMLLabelElement.prototype, 'control');

/** To be called before labels are asked for after the page may have changed. */
const forgetLabels = () => (labelMaps = new Map());

/** @param {Element} field @returns {Element[]} its labels in document order */
const labelsOf = field => {
  const root = rootOf(field);
  let labels = labelMaps.get(root);
  if (!labels) {
    labels = new Map();
    for (const label of nodeType(root) === 1 ? [] : select(root, 'label')) {
      const control = controlOf(label);
      if (control) labels.set(control, [...(labels.get(control) ?? []), label]);
    }
    labelMaps.set(root, labels);
  }
  return labels.get(field) ?? [];
};
