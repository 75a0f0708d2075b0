// Dry runs: what using an element would do, as it is now. Nothing is scrolled, given the focus, guarded or waited for.

/**
 * @param {number} number @param {Needs} needs
 * @returns {Partial<Spot & Problem> & {outside?: boolean, named?: object, intent?: object}} `outside`: it would be scrolled to first
 */
const foresee = (number, needs) => {
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  beginNames();
  beginStates();
  const isUsed = needs.hit || needs.enabled || needs.editable;
  const found = isUsed ? usable(element, needs) : {};
  const spot = found.problem === undefined && needs.hit ? spotFor(found.element, element, needs) : found;
  const isHit = needs.hit && spot.problem === undefined;
  const intent = isHit ? intentOfBoth(number, spot.x, spot.y) : intentOf(number, null);
  const { x, y, framed, problem, says, covering, outside } = spot;
  return { x, y, framed, problem, says, covering, outside, named: nameFor(element), intent };
};

Object.assign(api, { foresee });
