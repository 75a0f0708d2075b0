// Every kind of field, controlled: what is in the state stands beside it.

import { useState } from 'react';

function Field({ id, label, state, children }) {
  return <p><label htmlFor={id}>{label}</label> {children} <output id={`${id}-state`}>{String(state)}</output></p>;
}

const typed = set => event => set(event.target.value);

export function Fields() {
  const [text, setText] = useState('');
  const [area, setArea] = useState('');
  const [number, setNumber] = useState('');
  const [agreed, setAgreed] = useState(false);
  const [size, setSize] = useState('small');
  const [country, setCountry] = useState('');
  const [languages, setLanguages] = useState([]);
  const [date, setDate] = useState('');
  const [volume, setVolume] = useState('50');
  const [upper, setUpper] = useState('');
  const [digits, setDigits] = useState('12');
  const [submitted, setSubmitted] = useState('');

  const submit = event => {
    event.preventDefault();
    setSubmitted(JSON.stringify(Object.fromEntries(new FormData(event.target))));
  };
  return <section>
    <Field id="text" label="Name" state={text}><input id="text" value={text} onChange={typed(setText)} /></Field>
    <Field id="area" label="About" state={area}><textarea id="area" value={area} onChange={typed(setArea)} /></Field>
    <Field id="number" label="Age" state={number}>
      <input id="number" type="number" value={number} onChange={typed(setNumber)} />
    </Field>
    <Field id="agree" label="Agree" state={agreed}>
      <input id="agree" type="checkbox" checked={agreed} onChange={event => setAgreed(event.target.checked)} />
    </Field>
    <fieldset><legend>Size</legend>
      {['small', 'medium', 'large'].map(each => <label key={each}>
        <input type="radio" name="size" id={`size-${each}`} value={each} checked={size === each} onChange={typed(setSize)} />{each}
      </label>)}
      <output id="size-state">{size}</output>
    </fieldset>
    <Field id="country" label="Country" state={country}>
      <select id="country" value={country} onChange={typed(setCountry)}>
        <option value="">choose</option><option value="is">Iceland</option><option value="it">Italy</option><option value="jp">Japan</option>
      </select>
    </Field>
    <Field id="languages" label="Languages" state={languages.join(' ')}>
      <select id="languages" multiple value={languages}
        onChange={event => setLanguages([...event.target.selectedOptions].map(option => option.value))}>
        <option value="en">English</option><option value="fr">French</option><option value="zh">Chinese</option>
      </select>
    </Field>
    <Field id="date" label="Birthday" state={date}><input id="date" type="date" value={date} onChange={typed(setDate)} /></Field>
    <Field id="volume" label="Volume" state={volume}>
      <input id="volume" type="range" min="0" max="100" step="5" value={volume} onChange={typed(setVolume)} />
    </Field>
    <Field id="upper" label="Code" state={upper}>
      <input id="upper" value={upper} onChange={event => setUpper(event.target.value.toUpperCase())} />
    </Field>
    <Field id="digits" label="Digits" state={digits}>
      <input id="digits" value={digits} onChange={event => /^\d*$/.test(event.target.value) && setDigits(event.target.value)} />
    </Field>
    <form id="form" aria-label="Sign up" onSubmit={submit}>
      <label>Email <input name="email" type="email" required /></label>
      <label>Password <input name="password" type="password" /></label>
      <button>Sign up</button> <output id="submitted">{submitted}</output>
    </form>
  </section>;
}
