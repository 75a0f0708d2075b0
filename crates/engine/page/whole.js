// Fields that are set as a whole (dates, times, colours, sliders of the browser), how their values are written, and where sliders of the
// page's own stand.

const setInputText = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
const validityOf = getter(HTMLInputElement.prototype, 'validity');

/** Fields that are set as a whole, and how their values are written. */
const FORMATS = {
  date: 'a date such as 2026-03-31',
  month: 'a month such as 2026-03',
  week: 'a week such as 2026-W09',
  time: 'a time such as 09:30',
  'datetime-local': 'a date and time such as 2026-03-31T09:30',
  color: 'a colour such as #1a2b3c',
  number: 'a number such as 12 or -3.5',
};

const isNumber = text => /^-?(\d+(\.\d+)?|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
const isDate = text => {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && new Date(Date.UTC(2000 + (year % 400), month - 1, day)).getUTCDate() === Number(day);
};
const isTime = text => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(text);
/** ISO 8601: a year has a week 53 if it begins on a Thursday, or is a leap year that begins on a Wednesday. */
const isWeek = text => {
  const [, year, week] = /^(\d{4,6})-W(\d\d)$/.exec(text) ?? [];
  if (!(year > 0 && week >= 1 && week <= 53)) return false;
  const first = new Date(Date.UTC(2000 + (year % 400), 0, 1)).getUTCDay();
  const leap = new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCDate() === 29;
  return week < 53 || first === 4 || (leap && first === 3);
};
/** Whether a value is written as a field of a kind wants it. Trying would make the browser write it to the console. */
const WELL_WRITTEN = {
  date: isDate,
  month: text => isDate(`${text}-01`),
  week: isWeek,
  time: isTime,
  'datetime-local': text => /[T ]/.test(text) && isDate(text.split(/[T ]/)[0]) && isTime(text.split(/[T ]/)[1]),
  color: text => /^#[0-9a-f]{6}$/i.test(text),
  number: isNumber,
  range: isNumber,
};

const formatOf = element => {
  const type = inputKind(element);
  if (type !== 'range') return FORMATS[type];
  const [min, max, step] = ['min', 'max', 'step'].map(name => attribute(element, name));
  return `a number from ${min || 0} to ${max || 100}${step === 'any' ? '' : ` in steps of ${step || 1}`}`;
};

/** How the text has to be written for this field, if it is not. @param {number} number @param {string} text @returns {string | null} */
const misfit = (number, text) => {
  const element = elementOf(number);
  if (element === null) return null;
  if (tagOf(element) !== 'input') return kindOfField(element) === 'slider' ? misfitOfSlider(element, text) : null;
  const type = inputKind(element);
  const test = WELL_WRITTEN[type];
  if (!test || test(spelled(element, text)) || (text === '' && type !== 'range' && type !== 'color')) return null;
  return formatOf(element);
};

const misfitOfSlider = (element, text) => {
  const limit = (name, otherwise) => (isNumber(attribute(element, name) ?? '') ? Number(attribute(element, name)) : otherwise);
  const [min, max] = [limit('aria-valuemin', 0), limit('aria-valuemax', 100)];
  return isNumber(text) && Number(text) >= min && Number(text) <= max ? null : `a number from ${min} to ${max}`;
};

/** Where a slider stands that the page made, and whether it is moved up and down. @returns {{now: number, vertical: boolean} | null} */
const sliderStand = number => {
  const slider = elementOf(number) ?? documentElement(document);
  const now = attribute(slider, 'aria-valuenow');
  return now !== null && isNumber(now) ? { now: Number(now), vertical: attribute(slider, 'aria-orientation') === 'vertical' } : null;
};

/** How long the thumb of a slider is in the direction in which it moves, as Chromium draws it; where a page draws it larger, this is in it. */
const THUMB = 16;

/** Where the thumb of a slider of the browser is at a value. @returns {{x: number, y: number}} */
const thumbAt = (slider, value) => {
  const limit = (name, otherwise) => (isNumber(attribute(slider, name) ?? '') ? Number(attribute(slider, name)) : otherwise);
  const [min, max] = [limit('min', 0), limit('max', 100)];
  const { left, top, width, height } = boxOf(slider);
  const { writingMode, appearance, direction } = styleOf(slider);
  const isUpright = appearance === 'slider-vertical';
  const isVertical = isUpright || !writingMode.startsWith('horizontal');
  const part = max > min ? (value - min) / (max - min) : 0;
  const along = isUpright || direction === 'rtl' ? 1 - part : part;
  const at = length => THUMB / 2 + along * Math.max(0, length - THUMB);
  return isVertical ? { x: left + width / 2, y: top + at(height) } : { x: left + at(width), y: top + height / 2 };
};

/** Whether a slider of the browser can stand at a value: it is tried with another one that nobody sees. */
const canStandAt = (slider, text) => {
  const trial = document.createElement('input');
  for (const name of ['type', 'min', 'max', 'step', 'value']) if (has(slider, name)) trial.setAttribute(name, attribute(slider, name));
  setInputText.call(trial, text);
  return Number(inputText(trial)) === Number(text);
};

/** What became of a slider that is being pulled. @type {null | {element: Element, isTold: boolean, hear: (event: Event) => void}} */
let pulled = null;

/**
 * How the mouse pulls a slider to a value; from now on it alone can be clicked. Null if the mouse cannot take its thumb.
 * @returns {{pull: [{x: number, y: number}, {x: number, y: number}]} | null}
 */
const beginPull = (number, slider, text) => {
  const isOutside = ({ x, y }) => x < 0 || y < 0 || x >= innerWidth || y >= innerHeight;
  const ends = () => [thumbAt(slider, Number(inputText(slider))), thumbAt(slider, Number(text))];
  if (ends().some(isOutside)) scrollToElement.call(slider, { block: 'center', inline: 'center', behavior: 'instant' });
  const pull = ends();
  if (hitAt(pull[0].x, pull[0].y) !== slider) return null;
  pulled = { element: slider, isTold: false, hear: event => (pulled.isTold ||= event.target === slider) };
  addEventListener('change', pulled.hear, true);
  filling = { element: slider, before: inputText(slider), wanted: text };
  api.guard(number, true);
  return { pull };
};

/** Sets a slider that is being pulled to exactly a value: a pixel may stand for several. */
const setPulled = (number, text) => {
  if (pulled === null || !isConnected(pulled.element)) return false;
  const { element } = pulled;
  pulled.isTold = false;
  if (Number(inputText(element)) === Number(text)) return true;
  setInputText.call(element, text);
  sendEvent.call(element, new InputEvent('input', { bubbles: true, composed: true }));
  return true;
};

/** The button has been released. A page may have kept the slider from following the mouse: then it has not said that it was changed. */
const endPull = () => {
  if (pulled === null) return { problem: 'gone' };
  const { element, isTold, hear } = pulled;
  pulled = null;
  removeEventListener('change', hear, true);
  if (!isConnected(element)) return {};
  if (!isTold) sendEvent.call(element, new Event('change', { bubbles: true }));
  return { invalid: !validityOf(element).valid };
};

/**
 * Sets a field as a whole, with the events that it would send. Nothing is set yet if the mouse can pull it and may.
 * @returns {{problem?: string, format?: string, already?: boolean, invalid?: boolean, pull?: object}}
 */
const setWhole = (number, text, mayPull = false) => {
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  const format = misfit(number, text);
  if (format !== null) return { problem: 'misfit', format };
  text = spelled(element, text);
  if (mayPull && inputKind(element) === 'range') {
    if (!canStandAt(element, text)) return { problem: 'misfit', format: formatOf(element) };
    if (Number(inputText(element)) === Number(text)) return { already: true };
    const pull = beginPull(number, element, text);
    if (pull !== null) return pull;
  }
  giveFocus(number);
  if (!isConnected(element)) return { problem: 'gone' };
  const before = inputText(element);
  setInputText.call(element, text);
  const now = inputText(element);
  const type = inputKind(element);
  const took = type === 'range' ? Number(now) === Number(text) : type === 'color' ? now.toLowerCase() === text.toLowerCase() : (now === '') === (text === '');
  if (!took) {
    setInputText.call(element, before);
    return { problem: 'misfit', format: formatOf(element) };
  }
  if (now === before) return { already: true };
  filling = { element, before };
  tellChange(element);
  return { invalid: !validityOf(element).valid };
};

/** Says of a control that it has been changed, as it does itself when a person changes it. */
const tellChange = element => {
  sendEvent.call(element, new InputEvent('input', { bubbles: true, composed: true }));
  sendEvent.call(element, new Event('change', { bubbles: true }));
};

/** Whether what was set as a whole is still there. @returns {{isKept: boolean, stands: string | null} | null} null if the field is gone; where a slider stands, if elsewhere */
const keptWhole = () => {
  if (filling === null || !isConnected(filling.element)) return null;
  const { element, before, wanted } = filling;
  filling = null;
  const now = inputText(element);
  return { isKept: now !== before, stands: wanted === undefined || Number(now) === Number(wanted) ? null : now };
};

Object.assign(api, { sliderStand, setWhole, setPulled, endPull, keptWhole });
