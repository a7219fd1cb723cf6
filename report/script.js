// Digests become buttons that copy them. Without JavaScript or a clipboard they stay text, whole in their titles.
if (navigator.clipboard) {
  for (const code of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy digest";
    button.title = code.title;
    button.dataset.copy = code.dataset.copy;
    button.setAttribute("aria-label", "Copy " + code.textContent);
    button.append(code.textContent);
    button.addEventListener("click", async () => {
      const text = button.textContent;
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = text; }, 1200);
    });
    code.replaceWith(button);
  }
}
