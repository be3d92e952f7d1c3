"use strict";
// Shows the captions of an event. This and the scripts beside it are served as one, /page.js, in
// the order that PageFile.swift has: each sees what the others declare.
//
// Text from the host is a stranger's: it is only ever set as text, never as markup.

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const view = $("view");
const log = $("log");
const isProjector = new URLSearchParams(location.search).get("view") === "projector";
let number = new Intl.NumberFormat("en");

const on = (target, kinds, action) => {
  for (const kind of kinds.split(" ")) target.addEventListener(kind, action);
};

function make(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Says a sentence to those who hear the page. */
function tell(words) {
  $("told").textContent = "";
  $("told").textContent = words;
}
