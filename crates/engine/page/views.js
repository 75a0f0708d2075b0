// A page that goes to another view of its own, under an address with another path, without loading anything. What was meant for the view
// before must not reach this one.

const pathOf = address => (address ? new URL(address).pathname : '');
if (window === top && globalThis.navigation) {
  navigation.addEventListener('currententrychange', ({ navigationType, from }) => {
    if (navigationType !== 'push' && navigationType !== 'traverse') return;
    if (pathOf(from?.url) !== pathOf(navigation.currentEntry?.url)) globalThis.webhandTell?.('another view');
  });
}
