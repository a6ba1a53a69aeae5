import { useEffect, useRef } from "preact/hooks";
import { guardLeaving } from "./router";

// useUnsaved asks before a page with unsaved changes is left. The result lets it go without asking, after saving.
export function useUnsaved(unsaved: boolean): () => void {
  const asks = useRef(unsaved);
  asks.current = unsaved;
  useEffect(() => {
    if (!unsaved) return;
    const closing = (e: BeforeUnloadEvent) => asks.current && e.preventDefault();
    window.addEventListener("beforeunload", closing);
    const letGo = guardLeaving(() => !asks.current || window.confirm("Your changes are not saved. Leave without saving?"));
    return () => {
      window.removeEventListener("beforeunload", closing);
      letGo();
    };
  }, [unsaved]);
  return () => {
    asks.current = false;
  };
}
