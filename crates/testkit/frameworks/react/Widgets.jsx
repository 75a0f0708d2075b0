// What pages are made of besides fields: lists, requests, popups at the end of the body, dialogs, tabs, searching.

import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';

const FRUITS = ['Apple', 'Banana', 'Cherry', 'Grape'];

function Todo() {
  const [items, setItems] = useState([{ id: 1, text: 'Milk' }, { id: 2, text: 'Bread' }, { id: 3, text: 'Salt' }]);
  const [next, setNext] = useState('');
  const add = () => { setItems([...items, { id: Math.max(0, ...items.map(item => item.id)) + 1, text: next }]); setNext(''); };
  return <section aria-label="List">
    <label>New item <input id="new" value={next} onChange={event => setNext(event.target.value)} /></label>
    <button onClick={add} disabled={!next}>Add</button>
    <ul id="items">{items.map(item => <li key={item.id}>
      {item.text} <button onClick={() => setItems(items.filter(other => other !== item))}>Remove {item.text}</button>
    </li>)}</ul>
  </section>;
}

function Loader() {
  const [state, setState] = useState('nothing');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!busy) return;
    fetch('/search?q=cherry&ms=100').then(reply => reply.json()).then(found => { setState(found.join(' ')); setBusy(false); });
  }, [busy]);
  return <section aria-label="Request">
    <button onClick={() => { setState('loading'); setBusy(true); }} disabled={busy}>Load</button> <output id="loaded">{state}</output>
  </section>;
}

function Combobox() {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  const choose = fruit => { setChosen(fruit); setText(fruit); setOpen(false); };
  return <section aria-label="Choice">
    <label>Fruit <input id="fruit" role="combobox" aria-expanded={open} aria-controls="fruits" value={text}
      onFocus={() => setOpen(true)} onBlur={() => setOpen(false)} onChange={event => { setText(event.target.value); setOpen(true); }} /></label>
    <output id="fruit-state">{chosen}</output>
    {open && createPortal(<ul id="fruits" role="listbox" className="popup">
      {FRUITS.filter(fruit => fruit.toLowerCase().includes(text.toLowerCase())).map(fruit =>
        <li key={fruit} role="option" aria-selected={fruit === chosen} onMouseDown={event => event.preventDefault()}
          onClick={() => choose(fruit)}>{fruit}</li>)}
    </ul>, document.body)}
  </section>;
}

function Modal() {
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState('');
  const close = said => { setAnswer(said); setOpen(false); };
  return <section aria-label="Dialog">
    <button onClick={() => setOpen(true)}>Delete all</button> <output id="answer">{answer}</output>
    {open && createPortal(<div className="backdrop"><div role="dialog" aria-modal="true" aria-label="Sure?">
      <button onClick={() => close('yes')}>Yes</button><button onClick={() => close('no')}>No</button>
    </div></div>, document.body)}
  </section>;
}

function Tabs() {
  const [at, setAt] = useState(0);
  return <section aria-label="Tabs">
    <div role="tablist">{['One', 'Two', 'Three'].map((name, n) =>
      <button key={name} role="tab" aria-selected={n === at} onClick={() => setAt(n)}>{name}</button>)}</div>
    <div role="tabpanel" id="panel">Panel {at + 1}</div>
  </section>;
}

function Search() {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState([]);
  useEffect(() => {
    const timer = setTimeout(async () => {
      setFound(query ? await (await fetch(`/search?q=${encodeURIComponent(query)}`)).json() : []);
    }, 300);
    return () => clearTimeout(timer);
  }, [query]);
  return <section aria-label="Search">
    <label>Search <input id="search" type="search" value={query} onChange={event => setQuery(event.target.value)} /></label>
    <ul id="found">{found.map(each => <li key={each}>{each}</li>)}</ul>
  </section>;
}

export function Widgets() {
  return <><Todo /><Loader /><Combobox /><Modal /><Tabs /><Search /></>;
}
