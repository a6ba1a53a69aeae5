import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

// A Frame is the card of a dashboard that a chart is on. It replaces the chart's own title, adds to its
// note and tools, and has a fixed height, so that lists show only as many rows as fit.
export interface Frame {
  title: string;
  note?: ComponentChildren;
  tools?: ComponentChildren;
  rows: number;
}

export const FrameContext = createContext<Frame | null>(null);

// useFrame returns the card of a dashboard that a chart is on, or null on other pages.
export const useFrame = () => useContext(FrameContext);
