// For browsers that are too old for the page's script, and cannot even read it: this one is written
// as in 2009. It says so, and gives them the transcript, where page.js has not come to its end.
(function () {
  var isLost = false;

  // A script that could not be fetched is another thing than one that could not be read.
  window.addEventListener("error", function (event) {
    if (event.target && event.target.tagName === "SCRIPT") isLost = true;
  }, true);

  // An event with a code gives its transcript to those who have shown the link's token.
  function showToken() {
    var request = new XMLHttpRequest();
    if (location.hash.length < 2) return;
    request.open("POST", "/access");
    request.setRequestHeader("Content-Type", "text/plain");
    request.send(location.hash.slice(1));
  }

  window.addEventListener("load", function () {
    var root = document.documentElement;
    var old = document.getElementById("old");
    if (root.getAttribute("data-runs")) return;
    showToken();
    if (isLost) {
      old.firstChild.firstChild.nodeValue = "This page has not come whole: load it again.";
    }
    old.removeAttribute("hidden");
    document.getElementById("empty").setAttribute("hidden", "");
    document.getElementById("bar").setAttribute("hidden", "");
  });
})();
