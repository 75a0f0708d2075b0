// A board of three columns, sorted by SortableJS: the browser drags, or with ?fallback the library follows the pointer.
import Sortable from 'sortablejs';

const log = (window.log = []);
for (const list of document.querySelectorAll('ul')) {
  new Sortable(list, {
    group: 'board',
    animation: 150,
    forceFallback: location.search.includes('fallback'),
    onEnd: ({ item, from, to }) => log.push(`${item.id}: ${from.id} to ${to.id}`),
  });
}
