import { useEffect, useRef } from "preact/hooks";
import { common } from "../strings/common";
import { guardLeaving } from "./router";

// useUnsaved asks for confirmation before the user leaves a page with unsaved changes. The result
// turns that off; call it after saving.
export function useUnsaved(unsaved: boolean): () => void {
  const asks = useRef(unsaved);
  asks.current = unsaved;
  useEffect(() => {
    if (!unsaved) return;
    const closing = (e: BeforeUnloadEvent) => asks.current && e.preventDefault();
    window.addEventListener("beforeunload", closing);
    const letGo = guardLeaving(() => !asks.current || window.confirm(common.errors.unsaved));
    return () => {
      window.removeEventListener("beforeunload", closing);
      letGo();
    };
  }, [unsaved]);
  return () => {
    asks.current = false;
  };
}

// useClosing asks for confirmation before the window closes while something is being saved.
export function useClosing(saving: boolean) {
  useEffect(() => {
    if (!saving) return;
    const ask = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [saving]);
}
