import { createRoot } from 'react-dom/client';
import { Fields } from './Fields.jsx';
import { Widgets } from './Widgets.jsx';

createRoot(document.querySelector('#app')).render(<><h1>React</h1><Fields /><Widgets /></>);
