// Areas of pictures (HTML, "Image maps"): they have no box of their own, but a shape on the picture that uses their map.

/** How many places along each side of its bounds a shape is tried at. */
const AREA_PLACES = 9;

/** The picture that an area is on. @returns {Element | null} */
const pictureOf = area => {
  const map = closest(area, 'map');
  const names = map === null ? [] : [attribute(map, 'name'), attribute(map, 'id')].filter(Boolean).map(name => `#${name}`);
  return names.length === 0 ? null : [...select(rootOf(area), '[usemap]')].find(picture => names.includes(attribute(picture, 'usemap')) && isThere(picture)) ?? null;
};

/** A point in the shape of an area where a click goes to it. @returns {{x: number, y: number} | Problem} */
const spotInArea = (picture, area) => {
  const bounds = boundsOf(picture, area);
  let covering = null;
  let inside = false;
  // From the middle outwards: the places of a row or a column in the order 4, 5, 3, 6, 2, …
  const order = Array.from({ length: AREA_PLACES }, (_, at) => (AREA_PLACES - 1) / 2 + (at % 2 ? (at + 1) / 2 : -at / 2));
  for (const down of order) {
    for (const right of order) {
      const x = bounds.left + (bounds.width * (right + 0.5)) / AREA_PLACES;
      const y = bounds.top + (bounds.height * (down + 0.5)) / AREA_PLACES;
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      inside = true;
      const hit = hitAt(x, y);
      if (hit === area) return { x, y };
      covering ??= hit;
    }
  }
  if (!inside) return { problem: 'invisible', says: 'out of sight', outside: true };
  return { problem: 'covered', covering: covering && nameFor(covering) };
};

/** The bounds of its shape in the window; those of the whole picture if it has none. The sizes of a picture do not change its shapes. */
const boundsOf = (picture, area) => {
  const box = boxOf(picture);
  const numbers = (attribute(area, 'coords') ?? '').split(/[\s,;]+/).filter(Boolean).map(parseFloat);
  const shape = attribute(area, 'shape')?.toLowerCase() ?? 'rect';
  const [first, second, radius] = numbers;
  const isCircle = shape.startsWith('circ');
  const across = isCircle ? [first - radius, first + radius] : numbers.filter((_, at) => at % 2 === 0);
  const upright = isCircle ? [second - radius, second + radius] : numbers.filter((_, at) => at % 2 === 1);
  if (shape === 'default' || ![...across, ...upright].every(Number.isFinite) || upright.length < 2) return box;
  const [right, down] = insetOf(picture);
  const scale = picture.offsetWidth > 0 ? box.width / picture.offsetWidth : 1;
  const [left, top] = [Math.min(...across), Math.min(...upright)];
  return {
    left: box.left + (right + left) * scale,
    top: box.top + (down + top) * scale,
    width: (Math.max(...across) - left) * scale,
    height: (Math.max(...upright) - top) * scale,
  };
};
