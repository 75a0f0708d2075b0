// What is at a point of this frame's window: where a click would go.

const elementFromPoint = { 9: Document.prototype.elementFromPoint, 11: ShadowRoot.prototype.elementFromPoint };

/** @returns {Element | null} the innermost element at a point, through shadow roots, closed ones that are known included */
const hitAt = (x, y) => {
  let hit = null;
  for (let root = document; root; root = shadowRootOf(hit)) {
    const inner = elementFromPoint[nodeType(root)].call(root, x, y);
    if (inner === null || inner === hit) break;
    hit = inner;
  }
  return hit;
};

/** How far from a frame's own corner what is in it begins, before any transform. */
const insetOf = frame => {
  const { paddingLeft, paddingTop } = styleOf(frame);
  return [frame.clientLeft + parseFloat(paddingLeft), frame.clientTop + parseFloat(paddingTop)];
};
