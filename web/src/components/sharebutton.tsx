import { useState } from "preact/hooks";
import type { ShareTarget } from "../lib/share";
import { Icon } from "./icon";
import { showError } from "./toast";
import { common } from "../strings/common";
import { share } from "../strings/share";

// ShareButton opens the dialog that creates share links. The dialog is loaded when it is first opened.
export function ShareButton({ target }: { target: ShareTarget }) {
  const [dialog, setDialog] = useState<typeof import("./sharedialog")>();
  const open = () => import("./sharedialog").then(setDialog, () => showError(new Error(common.errors.pageNotLoaded)));
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="link" />
        {share.button}
      </button>
      {dialog && <dialog.ShareDialog target={target} onClose={() => setDialog(undefined)} />}
    </>
  );
}
