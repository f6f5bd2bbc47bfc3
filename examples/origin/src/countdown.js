// Keeps the time that is left true while the page is open.
for (const shown of document.querySelectorAll("[data-seconds-left]")) {
  const end = performance.now() + Number(shown.dataset.secondsLeft) * 1000;
  const say = () => {
    const seconds = Math.max(0, Math.floor((end - performance.now()) / 1000));
    const minutes = Math.floor(seconds / 60);
    if (seconds === 0) shown.textContent = "Your time is over";
    else if (minutes === 0) shown.textContent = "Less than a minute left";
    else shown.textContent = minutes === 1 ? "1 minute left" : `${minutes} minutes left`;
  };
  setInterval(say, 5000);
  document.addEventListener("visibilitychange", say);
}
