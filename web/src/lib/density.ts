// Density: how close together this browser shows posts.
export type Density = "comfortable" | "compact";

const key = "density"; // in the browser's storage

export const chosenDensity = (): Density => (localStorage.getItem(key) === "compact" ? "compact" : "comfortable");

export function chooseDensity(density: Density) {
  localStorage.setItem(key, density);
  startDensity();
}

export function startDensity() {
  document.documentElement.dataset.density = chosenDensity();
}
