/**
 * House rules that no linter knows, held as a test: sizes, names, words that must not stay, paths of one machine.
 * Errors fail the run; sizes to look at again are shown and fail nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { complaintsAbout, readScripts } from './lua-scripts.mjs';

const FILE_LINES_AIMED_AT = 150;
const FILE_LINES_LOOK_AGAIN = 300;
const FUNCTION_LINES_LOOK_AGAIN = 25;
const FUNCTION_LINES_MAX = 60;
const SCRIPT_LINES_LOOK_AGAIN = 60;
/** It decides everything that must be atomic. */
const CLAIM_SCRIPT_LINES_LOOK_AGAIN = 150;

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.cache', '.sluice', 'spikes']);
const TEXT = new Set([
  '.ts',
  '.mjs',
  '.js',
  '.json',
  '.md',
  '.html',
  '.css',
  '.yaml',
  '.yml',
  '.sql',
  '.lua',
  '.sh',
  '',
]);
const CODE = new Set(['.ts', '.mjs']);
const VAGUE_NAMES = new Set(['manager', 'helper', 'util', 'common', 'misc']);
/** Put together here, so that this file does not find itself. */
const UNFINISHED = new RegExp(`\\b(${['TO', 'FIX'].map((start, i) => start + ['DO', 'ME'][i]).join('|')}|X{3})\\b`);
const LEFT_OUT_TEST = /\b(?:test|it|describe|suite|behaviour)(?:\.\w+)*\.(?:only|skip)\b/;
const MACHINE_PATH = /(?<![\w./:-])\/(?:work|home|Users|root)\/[\w.-]+/;
const ADDRESS_IN_LOCK = /"resolved": "[a-z+]+:/;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const errors = [];
const lookAgain = [];

for (const file of filesUnder(root)) {
  checkName(file);
  if (!TEXT.has(extname(file))) continue;
  const text = readFileSync(join(root, file), 'utf8');
  if (file === 'package-lock.json')
    checkLines(file, text, [[ADDRESS_IN_LOCK, 'the lockfile names a registry address']]);
  else if (file !== 'LICENSE') checkText(file, text);
}

for (const script of readScripts(root)) {
  for (const complaint of complaintsAbout(script)) errors.push(`${script.file}: ${complaint}`);
  const lines = script.source.split('\n').length - 1;
  const most = script.name === 'claim' ? CLAIM_SCRIPT_LINES_LOOK_AGAIN : SCRIPT_LINES_LOOK_AGAIN;
  if (lines > most) lookAgain.push(`${script.file} has ${lines} lines`);
}

for (const line of lookAgain) console.log(`look again: ${line}`);
for (const line of errors) console.error(line);
process.exitCode = errors.length > 0 ? 1 : 0;

function checkName(file) {
  const words = file.split(/[/.\-_]/).map((word) => word.toLowerCase().replace(/s$/, ''));
  const vague = words.find((word) => VAGUE_NAMES.has(word));
  if (vague) errors.push(`${file}: "${vague}" says nothing; name the idea`);
}

function checkText(file, text) {
  checkLines(file, text, [
    [UNFINISHED, 'unfinished work is an issue, not a comment'],
    [MACHINE_PATH, 'a path that exists on one machine only'],
  ]);
  if (!CODE.has(extname(file))) return;
  checkLines(file, text, [[LEFT_OUT_TEST, 'a test that is left out, or leaves the others out']]);
  if (isTest(file)) return;
  checkFileSize(file, text);
  checkFunctions(file, text);
}

function checkLines(file, text, rules) {
  text.split('\n').forEach((line, index) => {
    for (const [pattern, complaint] of rules) {
      if (pattern.test(line)) errors.push(`${file}:${index + 1}: ${complaint}`);
    }
  });
}

function checkFileSize(file, text) {
  const lines = text.split('\n').length - 1;
  if (lines > FILE_LINES_LOOK_AGAIN) lookAgain.push(`${file} has ${lines} lines, well over ${FILE_LINES_AIMED_AT}`);
  else if (lines > FILE_LINES_AIMED_AT) lookAgain.push(`${file} has ${lines} lines`);
}

/** Judges each function by its own lines: a factory is not charged for the functions it returns, nor for comments. */
function checkFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const codeLines = linesWithCode(source);
  const visit = (node) => {
    if (isFunctionWithBody(node)) judge(node);
    ts.forEachChild(node, visit);
  };
  const judge = (node) => {
    const lines = ownLines(node, source).filter((line) => codeLines.has(line)).length;
    if (lines <= FUNCTION_LINES_LOOK_AGAIN) return;
    const where = `${file}:${lineOf(node.getStart(source), source) + 1}: ${functionName(node)} has ${lines} lines`;
    if (lines > FUNCTION_LINES_MAX) errors.push(`${where}, more than ${FUNCTION_LINES_MAX}`);
    else lookAgain.push(where);
  };
  visit(source);
}

function ownLines(node, source) {
  const lines = new Set(linesOf(node, source));
  const dropNested = (child) => {
    if (!isFunctionWithBody(child)) return ts.forEachChild(child, dropNested);
    for (const line of linesOf(child, source).slice(1)) lines.delete(line);
  };
  ts.forEachChild(node, dropNested);
  return [...lines];
}

function linesOf(node, source) {
  const first = lineOf(node.getStart(source), source);
  const last = lineOf(node.getEnd(), source);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function linesWithCode(source) {
  const lines = new Set();
  const visit = (node) => {
    const children = node.getChildren(source);
    if (children.length === 0 && node.getWidth(source) > 0) for (const line of linesOf(node, source)) lines.add(line);
    for (const child of children) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return lines;
}

function isFunctionWithBody(node) {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function functionName(node) {
  return node.name?.getText() ?? node.parent?.name?.getText?.() ?? 'a function';
}

function lineOf(position, source) {
  return source.getLineAndCharacterOfPosition(position).line;
}

function isTest(file) {
  return /\.(test|contract)\.ts$|^tests\//.test(file);
}

function filesUnder(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const full = join(dir, entry.name);
    return entry.isDirectory() ? filesUnder(full) : [relative(root, full).replaceAll('\\', '/')];
  });
}
