import { showError, toast } from "../components/toast";

// copy puts a text where it can be pasted from. Browsers allow that only for pages that come by TLS or from this machine.
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    showError(new Error("The browser does not allow copying here. Select the text instead."));
  }
}
