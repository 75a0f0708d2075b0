// What is in form fields, as a person sees it. Never a password.

const inputType = getter(HTMLInputElement.prototype, 'type');
const inputValue = getter(HTMLInputElement.prototype, 'value');
const inputChecked = getter(HTMLInputElement.prototype, 'checked');
const textareaValue = getter(HTMLTextAreaElement.prototype, 'value');
const optionsOf = getter(HTMLSelectElement.prototype, 'options');
const optionLabel = getter(HTMLOptionElement.prototype, 'label');
const optionSelected = getter(HTMLOptionElement.prototype, 'selected');

/** Inputs that are buttons. */
const BUTTONS = new Set(['button', 'submit', 'reset', 'image']);

/** @param {Element} input @returns {string} what a button says that is an input */
const buttonText = input => {
  const type = inputType(input);
  if (type === 'image') return attribute(input, 'alt') ?? '';
  return inputValue(input) || { submit: 'Submit', reset: 'Reset' }[type] || '';
};

/** @param {Element} element an input, textarea or select @returns {string} what it shows */
const fieldText = element => {
  const tag = tagOf(element);
  if (tag === 'textarea') return isSecret(element) ? '' : textareaValue(element);
  if (tag === 'select') {
    return [...optionsOf(element)].filter(optionSelected).map(option => flat(optionLabel(option))).join(', ');
  }
  const type = inputType(element);
  if (type === 'hidden' || isSecret(element)) return '';
  if (type === 'checkbox') return inputChecked(element) ? '☑' : '☐';
  if (type === 'radio') return inputChecked(element) ? '◉' : '○';
  if (BUTTONS.has(type)) return buttonText(element);
  const value = inputValue(element);
  // Of a file only its name is told, behind a folder that does not exist.
  return type === 'file' ? value.replace(/^.*\\/, '') : value;
};
