//! Pages for these tests. What happens to them they write into their status, where every dialect can read it.

use crate::support::site;

/// A form whose parts are at known places of the viewport.
pub(crate) fn form() -> String {
    site().page(
        "form",
        "<style>body { margin: 0; height: 3000px } body > * { position: absolute; left: 20px; margin: 0; box-sizing: border-box }</style>\
         <button id=go style='top: 20px; width: 100px; height: 40px'>Go</button>\
         <input id=name aria-label=Name style='top: 80px; width: 200px; height: 30px'>\
         <input id=secret type=password aria-label=Password style='top: 120px; width: 200px; height: 30px'>\
         <label style='top: 160px'><input id=terms type=checkbox> Terms</label>\
         <select id=colour aria-label=Colour style='top: 200px; width: 200px; height: 30px'><option>Red<option>Blue</select>\
         <div id=card tabindex=0 style='top: 240px; width: 100px; height: 40px; background: #eee; touch-action: none'>Card</div>\
         <div id=bin tabindex=0 style='top: 320px; width: 100px; height: 60px; background: #ddd'>Bin</div>\
         <ul id=list tabindex=0 aria-label=List style='top: 400px; width: 200px; height: 100px; overflow: auto'></ul>\
         <a id=next href='/page?title=next' style='top: 520px'>Next page</a>\
         <p style='top: 560px'>Order total: 12.50</p>\
         <p role=status id=log style='top: 600px'></p>\
         <script>\
           const at = id => document.getElementById(id), log = words => at('log').textContent += `${words}; `;\
           at('list').innerHTML = Array.from({ length: 50 }, (_, n) => `<li>Item ${n}</li>`).join('');\
           at('go').addEventListener('click', event => log(`click ${event.detail}`));\
           at('go').addEventListener('contextmenu', event => { event.preventDefault(); log('menu'); });\
           at('go').addEventListener('mouseenter', () => log('entered'));\
           let down = 0, dragged;\
           at('go').addEventListener('mousedown', () => { down = performance.now(); });\
           at('go').addEventListener('mouseup', () => log(performance.now() - down >= 300 ? 'held' : 'short'));\
           at('name').addEventListener('input', () => log(`name ${at('name').value}`));\
           at('secret').addEventListener('input', () => log(`secret ${at('secret').value.length}`));\
           at('terms').addEventListener('change', () => log(`terms ${at('terms').checked}`));\
           at('colour').addEventListener('change', () => log(`colour ${at('colour').value}`));\
           at('list').addEventListener('scroll', () => log('list scrolled'), { once: true });\
           at('card').addEventListener('pointerdown', event => { dragged = true; event.preventDefault(); });\
           addEventListener('pointerup', event => { if (dragged && event.clientY > 320) log('dropped'); dragged = false; });\
           addEventListener('keydown', event => { if (event.key.length > 1) log(`key ${event.key}`); });\
         </script>",
    )
}

/// Two buttons of one name, dialogs, and a button that goes away.
pub(crate) fn trouble() -> String {
    site().page(
        "trouble",
        "<button>Twin</button><button>Twin</button><button id=ask>Ask</button><button id=gone>Gone soon</button>\
         <button id=remove>Remove</button><input id=ro aria-label=Fixed readonly value=fixed>\
         <p role=status id=log></p>\
         <script>\
           const at = id => document.getElementById(id), log = words => at('log').textContent += `${words}; `;\
           at('ask').addEventListener('click', () => log(`answered ${confirm('sure?')}`));\
           at('remove').addEventListener('click', () => at('gone').remove());\
         </script>",
    )
}

/// Writes to the console, asks for things, and lets files be chosen and loaded.
pub(crate) fn busy() -> String {
    site().page(
        "busy",
        "<style>@media (prefers-color-scheme: dark) { main { order: 1 } }</style><main><h1>Busy</h1><p>The first paragraph.</p><p id=second>The second one.</p></main>\
         <button id=pick>Pick</button><label>Photo <input type=file id=photo></label>\
         <a id=file href='/download?name=report.txt&bytes=100'>Report</a>\
         <button onclick=\"setTimeout(() => location = '/download?name=later.txt&bytes=9', 1000)\">Later</button>\
         <p role=status id=log></p>\
         <script>\
           const at = id => document.getElementById(id), log = words => at('log').textContent += `${words}; `;\
           console.log('hello console'); console.error('it broke');\
           fetch('/status/500?busy').then(reply => log(`fetched ${reply.status}`));\
           at('photo').addEventListener('change', () => log(`photo ${at('photo').files[0].name}`));\
           at('pick').addEventListener('click', () => setTimeout(() => log('picked late'), 200));\
         </script>",
    )
}

/// A button far from the window's corner, which says how often it was clicked.
pub(crate) fn corner() -> String {
    site().page(
        "corner",
        "<style>body { margin: 0 } button { position: absolute; left: 1500px; top: 1100px; width: 40px; height: 40px }</style>\
        <button onclick=\"const n = ++this.value; out.textContent = ['clicked once', 'clicked twice'][n - 1] ?? `clicked ${n} times`\" value=0>Go</button><p id=out></p>",
    )
}
