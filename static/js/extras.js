// What a visitor may switch on: a sound, a notification, a screen that stays on. Each button is
// there only where the browser can do it, and nothing happens before it is pressed.

/** Two soft notes. */
function chime(audio) {
  [660, 880].forEach((pitch, at) => {
    const begin = audio.currentTime + at * 0.22;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, begin);
    volume.gain.exponentialRampToValueAtTime(0.3, begin + 0.03);
    volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.7);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 0.75);
  });
}

/** Phones have the class but do not let a page make one: trying is the only way to know. */
function canNotify(window) {
  if (!window.isSecureContext || !window.Notification || window.Notification.permission === "denied") return false;
  if (window.Notification.permission === "granted") return !/Android/.test(window.navigator.userAgent);
  try {
    new window.Notification("").close();
    return true;
  } catch {
    return false;
  }
}

function extrasIn(window, find, words) {
  const { navigator, document } = window;
  const Audio = window.AudioContext ?? window.webkitAudioContext;
  let audio = null;
  let notifies = false;
  let awake = false;
  let lock = null;

  const pressed = (id, on) => find(id).setAttribute("aria-pressed", String(on));
  const refused = (id) => {
    pressed(id, false);
    find("extras-note").textContent = words.text("extras.refused");
  };
  const hold = async () => {
    lock = await navigator.wakeLock.request("screen").catch((error) => {
      awake = false;
      throw error;
    });
    if (!awake) lock.release();
  };
  const toggles = {
    async sound() {
      if (audio) {
        audio.close();
        audio = null;
        return false;
      }
      audio = new Audio();
      await audio.resume();
      chime(audio);
      return true;
    },
    async notify() {
      notifies = !notifies && (await window.Notification.requestPermission()) === "granted";
      if (!notifies && window.Notification.permission !== "granted") throw new Error("refused");
      return notifies;
    },
    async awake() {
      awake = !awake;
      if (awake) await hold();
      else await lock?.release();
      return awake;
    },
  };
  const possible = { sound: Boolean(Audio), notify: canNotify(window), awake: Boolean(navigator.wakeLock) };
  for (const id of Object.keys(toggles)) {
    find(id).hidden = !possible[id];
    find(id).addEventListener("click", () =>
      toggles[id]().then(
        (on) => pressed(id, on),
        () => refused(id),
      ),
    );
  }
  document.addEventListener("visibilitychange", () => {
    if (awake && document.visibilityState === "visible") hold().catch(() => refused("awake"));
  });
  return {
    any: Object.values(possible).includes(true),
    /** It is the visitor's turn. */
    turn(title, body) {
      if (audio) chime(audio);
      if (!notifies || document.visibilityState === "visible") return;
      try {
        new window.Notification(title, { body, tag: "wr-turn" }).onclick = () => window.focus();
      } catch {}
    },
  };
}
