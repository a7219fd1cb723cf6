// Finds sections of pages in the index that search-index.js defines. A section is found if it has every word of the
// query, or words that begin with it or include it. Titles count more than headings, headings more than text.

const words = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

// weigh returns how well a text has a word: 0 if it does not.
function weigh(text, word) {
  let weight = 0;
  for (const w of text) {
    if (w === word) weight += 1;
    else if (w.startsWith(word)) weight += 0.6;
    else if (word.length > 3 && w.includes(word)) weight += 0.2;
  }
  return weight;
}

// search returns the entries of an index that have all words of a query, the best first.
function search(index, query) {
  const wanted = words(query);
  if (wanted.length === 0) return [];
  const found = [];
  for (const entry of index) {
    entry.words ??= { page: words(entry.Page), section: words(entry.Section), text: words(entry.Text) };
    let score = 0;
    for (const word of wanted) {
      const page = Math.min(weigh(entry.words.page, word), 1) * (entry.Section === "" ? 8 : 2);
      const section = Math.min(weigh(entry.words.section, word), 1) * 6;
      const weight = page + section + Math.log1p(weigh(entry.words.text, word));
      if (weight === 0) { score = 0; break; }
      score += weight;
    }
    // A decision is read after the page that follows from it.
    if (/^(adr|results)\//.test(entry.URL)) score /= 3;
    if (/^(commands|json)\.html/.test(entry.URL)) score /= 4;
    if (score > 0) found.push({ entry, score });
  }
  return found.sort((a, b) => b.score - a.score).map(f => f.entry);
}

// extract returns the part of a text where the query is, or one of its words.
function extract(text, query) {
  const lower = text.toLowerCase();
  const places = [query.trim().toLowerCase(), ...words(query)].map(w => lower.indexOf(w)).filter(n => n >= 0);
  if (text.length <= 220 || places.length === 0 || places[0] < 120) return text.length <= 220 ? text : cut(text.slice(0, 220)) + "…";
  const rest = text.slice(places[0] - 80, places[0] + 140);
  return "…" + (places[0] + 140 < text.length ? cut(rest) + "…" : rest).replace(/^\S* /, " ");
}

// cut removes the last word, which may be a part of one.
const cut = text => text.replace(/\s\S*$/, "");

// show lists what a query finds. What it writes is text, never HTML.
function show(query) {
  const found = search(index, query);
  const list = document.getElementById("results");
  list.replaceChildren();
  for (const entry of found.slice(0, 30)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = entry.URL;
    link.textContent = entry.Section === "" ? entry.Page : entry.Page + ": " + entry.Section;
    const text = document.createElement("p");
    text.textContent = extract(entry.Text, query);
    item.append(link, text);
    list.append(item);
  }
  let says = "";
  if (found.length > 0) says = found.length === 1 ? "1 section" : found.length + " sections" + (found.length > 30 ? ", the best 30 of them" : "");
  else if (words(query).length > 0) says = "No section has all of these words.";
  document.getElementById("count").textContent = says;
}

if (typeof document !== "undefined") {
  const input = document.getElementById("query");
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", () => show(input.value));
  show(input.value);
}
