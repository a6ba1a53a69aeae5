"use strict";
// The search hides endpoints that do not contain all the words. Without this script, all are shown.
const words = document.getElementById("words");
const articles = [...document.querySelectorAll("article")];
const textOf = (article) => [...article.querySelectorAll("h3, p, code")].map((e) => e.textContent).join(" ").toLowerCase();
const texts = new Map(articles.map((article) => [article, textOf(article)]));
function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const article of articles) {
    const fits = wanted.every((word) => texts.get(article).includes(word));
    article.hidden = !fits;
    document.querySelector(`[data-endpoint="${article.id}"]`).hidden = !fits;
    found += fits ? 1 : 0;
  }
  for (const section of document.querySelectorAll(".category")) {
    const empty = !section.querySelector("article:not([hidden])");
    section.hidden = empty;
    document.querySelector(`[data-category="${section.id}"]`).hidden = empty;
  }
  document.getElementById("found").textContent = wanted.length ? `${found} of ${articles.length} endpoints` : "";
}
words.addEventListener("input", search);
document.getElementById("search").hidden = false;
if (words.value) search();
