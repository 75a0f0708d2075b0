// Elements that may have a closed shadow root. One can be attached and filled at any time, and no event reports either. So
// elements that show nothing are watched for a size, and those that nothing would tell of are asked about again now and then.

/** Elements that may have a closed shadow root and are to be asked about. @type {Set<Element>} */
const candidates = new Set();
/** Elements that may get one; those that were asked about longest ago come first. @type {Set<Element>} */
const hosts = new Set();
const MOST_HOSTS = 2000;
/** How many are asked about again in one look, and how long after the last time, in milliseconds. */
const SOME_HOSTS = 64;
const ASK_AGAIN = 900;
let askedAt = 0;

/** What had no size shows something now. */
const sizes = new ResizeObserver(entries => {
  let isAny = false;
  for (const { target, contentRect } of entries) {
    if (isConnected(target) && (contentRect.width === 0 || contentRect.height === 0)) continue;
    sizes.unobserve(target);
    if (!isConnected(target)) continue;
    memoryOf(target).asked = false;
    mark(target, 2);
    isAny = true;
  }
  if (isAny) announce();
});

/** @param {Element} element one that may have a closed shadow root, as far as one can see @param {Memory} memory */
const noteHost = (element, memory) => {
  if (memory.asked && hosts.has(element)) return;
  const isCustom = tagOf(element).includes('-');
  const { width, height } = boxOf(element);
  const isSeen = width > 0 && height > 0;
  if (!memory.asked && (isCustom || isSeen)) candidates.add(element);
  if (hosts.has(element) || hosts.size >= MOST_HOSTS) return;
  hosts.add(element);
  if (!isSeen) sizes.observe(element);
};

/** Begins anew, with a look at everything. */
const forgetHosts = () => {
  hosts.clear();
  sizes.disconnect();
  // What has just been looked at for the first time is not asked about twice.
  askedAt ||= performance.now();
};

/** Has some be asked about again. */
const askHostsAgain = () => {
  if (hosts.size === 0 || performance.now() < askedAt + ASK_AGAIN) return;
  askedAt = performance.now();
  for (const element of [...hosts].slice(0, SOME_HOSTS)) {
    hosts.delete(element);
    if (!isConnected(element) || shadowRootOf(element) !== null || (firstChild(element) !== null && !tagOf(element).includes('-'))) {
      sizes.unobserve(element);
      continue;
    }
    hosts.add(element);
    candidates.add(element);
  }
};
