// Colors of chart series, sentiments and emotions, for the light and the dark theme.

const palette = {
  light: ["#3d68d8", "#e08a2c", "#2f9c74", "#b15bbd", "#c9503f", "#4aa3c7", "#8a7a2e", "#7a6be0", "#d0649a", "#5f8f3a"],
  dark: ["#7f9ff5", "#e3a052", "#52bd94", "#c985d2", "#e07a6b", "#6dbddb", "#b5a555", "#a196f2", "#e08bb8", "#8bba63"],
};

// seriesColor returns the color of the nth series. Colors repeat after the end of the palette.
export function seriesColor(n: number, dark: boolean): string {
  const colors = dark ? palette.dark : palette.light;
  return colors[n % colors.length];
}

const sentiments: Record<string, [string, string]> = {
  positive: ["#35a873", "#3fae7c"],
  neutral: ["#b3bcc9", "#66728a"],
  negative: ["#dc6257", "#d8655b"],
};

const emotions: Record<string, [string, string]> = {
  anger: ["#cf4b3e", "#dd6b5f"],
  fear: ["#7d63b8", "#a08ad6"],
  disgust: ["#7c9440", "#9db85f"],
  joy: ["#e3a92f", "#e6b956"],
  surprise: ["#df7bb0", "#e598c2"],
  sadness: ["#4f7fc4", "#7ba3dd"],
  neutral: ["#b3bcc9", "#66728a"],
};

// categoryColor returns the fixed color of a sentiment or emotion, or the color of the nth series
// for other categories.
export function categoryColor(name: string, n: number, dark: boolean, kind: "category" | "emotion" = "category"): string {
  const key = name.toLowerCase().replace(/^basic\s+/, "");
  const own = kind === "emotion" ? emotions[key] : sentiments[key];
  return own ? own[dark ? 1 : 0] : seriesColor(n, dark);
}

// shortCategory shortens the name of a category for display: "Basic Positive" to "Positive".
export const shortCategory = (name: string) => name.replace(/^Basic\s+/, "");
