import { common } from "../strings/common";
import { showError, toast } from "../components/toast";

// copy copies a text to the clipboard. Browsers allow that only on pages served over HTTPS or from
// localhost.
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast(common.copied);
  } catch {
    showError(new Error(common.errors.copyBlocked));
  }
}
