// Dates, times and colours as people write them, in the one way in which fields take them. What can be read in two ways is not: 09/10/2012.

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const two = number => String(number).padStart(2, '0');
const dated = (year, month, day) => `${year}-${two(Number(month))}-${two(Number(day))}`;
/** @param {string} word @returns {number} 0 if it is no month */
const monthNamed = word => (word.length < 3 ? 0 : MONTHS.findIndex(month => month.startsWith(word.toLowerCase())) + 1);

const spelledDate = text => {
  const big = /^(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?$/.exec(text);
  if (big) return dated(big[1], big[2], big[3]);
  const small = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text);
  if (small) {
    const [one, other] = [Number(small[1]), Number(small[2])];
    if (one > 12 || one === other) return dated(small[3], other, one);
    return other > 12 ? dated(small[3], one, other) : text;
  }
  const american = /^([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(text);
  const british = /^(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]+)\.?,?\s+(\d{4})$/i.exec(text);
  const [day, month, year] = american ? [american[2], monthNamed(american[1]), american[3]] : british ? [british[1], monthNamed(british[2]), british[3]] : [];
  return month ? dated(year, month, day) : text;
};

const spelledMonth = text => {
  const [, year, month] = /^(\d{4})\s*[-/.年]\s*(\d{1,2})\s*月?$/.exec(text) ?? [];
  if (year) return `${year}-${two(Number(month))}`;
  const [, name, of] = /^([a-z]+)\.?,?\s+(\d{4})$/i.exec(text) ?? [];
  return name && monthNamed(name) ? `${of}-${two(monthNamed(name))}` : text;
};

const spelledTime = text => {
  const said = /^(上午|下午)?\s*(\d{1,2})(?:[:：](\d\d)(?::(\d\d))?|(点)(?:(\d\d)分?)?)?\s*(?:([ap])\.?m\.?)?$/i.exec(text);
  if (said === null) return text;
  const [, part, hour, minute, second, clock, past, noon] = said;
  if (minute === undefined && clock === undefined && noon === undefined) return text;
  // 3点 is more often in the afternoon, and 上午12点 at noon.
  if ((part && noon) || (part === '上午' && Number(hour) === 12) || (clock && !part && !noon && hour >= 1 && hour <= 12)) return text;
  const half = noon?.toLowerCase() ?? (part && (part === '上午' ? 'a' : 'p'));
  if (half && (hour < 1 || hour > 12)) return text;
  const hours = half ? (hour % 12) + (half === 'p' ? 12 : 0) : Number(hour);
  return `${two(hours)}:${minute ?? past ?? '00'}${second ? `:${second}` : ''}`;
};

const spelledBoth = text => {
  const [, date, time] = /^(.*?\d{4}(?:[-/.年]\d{1,2}[-/.月]\d{1,2}日?)?),?[T\s]+(\S.*)$/.exec(text) ?? [];
  return date === undefined ? text : `${spelledDate(date)}T${spelledTime(time)}`;
};

const SPELLINGS = {
  date: spelledDate,
  month: spelledMonth,
  time: spelledTime,
  'datetime-local': spelledBoth,
  color: text => text.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, '#$1$1$2$2$3$3'),
};

/** @param {Element} element a field @param {string} text @returns {string} the text as this field takes it, if there is such a way */
const spelled = (element, text) => SPELLINGS[inputKind(element)]?.(text.trim()) ?? text;
