// Fields for files: what they take.

const controlOf = getter(HTMLLabelElement.prototype, 'control');

/**
 * The field for files that is meant, if it is one: the element itself, or the field that it labels.
 * @param {number | Element} which its number, or itself
 * @returns {{problem: string} | {kind: 'other'} | {kind: 'field', number: number, multiple: boolean, directory: boolean, disabled: boolean, accept: string}}
 */
const fileField = which => {
  const named = typeof which === 'number' ? elementOf(which) : which;
  if (named === null) return { problem: 'gone' };
  const field = tagOf(named) === 'label' ? controlOf(named) : named;
  if (!field || tagOf(field) !== 'input' || attribute(field, 'type')?.toLowerCase() !== 'file') return { kind: 'other' };
  return {
    kind: 'field',
    number: numberOf(field),
    named: nameFor(field),
    multiple: has(field, 'multiple'),
    directory: has(field, 'webkitdirectory'),
    disabled: matches(field, ':disabled'),
    accept: attribute(field, 'accept') ?? '',
  };
};

/** The same, when the field can take files. One that is disabled for longer is told as that. @param {number} number @param {number} patience milliseconds */
const fileFieldSoon = async (number, patience) => {
  const end = performance.now() + patience;
  for (;;) {
    const field = fileField(number);
    if (!field.disabled || performance.now() >= end) return field;
    await nextFrame();
  }
};

Object.assign(api, { fileField, fileFieldSoon });
