// The page of visitors with a share link. It is a document of its own, so that visitors load nothing
// of the app that they cannot use.
import "../style.css";
import { render } from "preact";
import { startTheme } from "../lib/theme";
import { Toasts } from "../components/toast";
import { SharedPageView } from "./page";

startTheme();
render(
  <>
    <SharedPageView token={window.location.pathname.split("/")[2] ?? ""} />
    <Toasts />
  </>,
  document.getElementById("app")!,
);
