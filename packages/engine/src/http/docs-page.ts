/** The OpenAPI document as a page for people: plain HTML, no script. Everything from the document is escaped. */
import type { ApiDocument, JsonSchema, Operation, Parameter } from './open-api.ts';

export function renderDocs(document: ApiDocument): string {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const sections = tags.flatMap(({ name, description }) => {
    const ofTag = operations.filter(({ operation }) => operation.tags.includes(name));
    return ofTag.length > 0 ? [section(name, description, ofTag)] : [];
  });
  return page(`${info.title} ${info.version}`, [
    `<p>${text(info.description)}</p>`,
    '<p>For programs: <a href="openapi.json">openapi.json</a>.</p>',
    nav(operations),
    callers(components.securitySchemes),
    ...sections,
    `<section><h2>Shapes</h2>${Object.entries(components.schemas).map(shape).join('')}</section>`,
  ]);
}

interface NamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function operationsOf({ paths }: ApiDocument): readonly NamedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<h1>${text(title)}</h1>
${parts.join('\n')}
</body>
</html>
`;
}

function nav(operations: readonly NamedOperation[]): string {
  const items = operations.map(
    ({ method, path, operation }) => `<li><a href="#${text(operation.operationId)}">${method} ${text(path)}</a></li>`,
  );
  return `<nav aria-label="Operations"><ul>${items.join('')}</ul></nav>`;
}

function callers(schemes: ApiDocument['components']['securitySchemes']): string {
  const rows = Object.entries(schemes).map(([name, { description }]) => row([code(name), text(description)]));
  return `<section><h2>Who calls</h2><p>As <code>Authorization: Bearer …</code>.</p>${table(['', ''], rows)}</section>`;
}

function section(name: string, description: string, operations: readonly NamedOperation[]): string {
  return `<section><h2>${text(name)}</h2><p>${text(description)}</p>${operations.map(article).join('')}</section>`;
}

function article({ method, path, operation }: NamedOperation): string {
  const { operationId, summary, security, parameters = [], requestBody, responses } = operation;
  const needs = security.flatMap((each) => Object.keys(each));
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => typeOf(schema));
  const answers = Object.entries(responses).map(([status, { description, content = {}, headers = {} }]) =>
    row([
      code(status),
      Object.entries(content)
        .map(([mediaType, { schema }]) => `${code(mediaType)} ${typeOf(schema)}`)
        .join('<br>'),
      lines(description) +
        Object.keys(headers)
          .map((header) => ` ${code(header)}`)
          .join(''),
    ]),
  );
  return `<article id="${text(operationId)}">
<h3><span>${method}</span> ${text(path)}</h3>
<p>${text(summary)} ${needs.length > 0 ? `Needs ${needs.map(code).join(' or ')}.` : 'Open to everybody.'}</p>
${parameters.length > 0 ? table(['parameter', 'in', ''], parameters.map(parameter)) : ''}
${bodies.length > 0 ? `<p>Body: ${bodies.join(' or ')}${requestBody?.required === false ? ', or none' : ''}</p>` : ''}
${table(['status', 'content', ''], answers)}
</article>`;
}

function parameter({ name, in: where, required = false, description = '', schema }: Parameter): string {
  return row([code(name) + (required ? ' *' : ''), `${text(where)}, ${typeOf(schema)}`, text(description)]);
}

function shape([name, schema]: readonly [string, JsonSchema]): string {
  const { description = '', properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([field, inner]) =>
    row([code(field) + (required.includes(field) ? ' *' : ''), typeOf(inner), text(inner.description ?? '')]),
  );
  return `<article id="${text(name)}"><h3>${text(name)}</h3><p>${text(description)}</p>${table(['field', 'type', ''], rows)}</article>`;
}

function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `<a href="#${text(name)}">${text(name)}</a>`;
  }
  if (items) return `list of ${typeOf(items)}`;
  if (values) return values.map((value) => code(String(value))).join(' | ');
  return text([type ?? 'anything'].flat().join(' or '));
}

function table(heads: readonly string[], rows: readonly string[]): string {
  if (rows.length === 0) return '';
  return `<table><thead><tr>${heads.map((head) => `<th>${text(head)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function lines(description: string): string {
  return description.split('\n').map(text).join('<br>');
}

function code(value: string): string {
  return `<code>${text(value)}</code>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text between tags and inside quotes; what stands between backticks is code. */
function text(value: string): string {
  const escaped = value.replaceAll(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export const DOCS_STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
nav ul { columns: 2 22rem; padding-left: 1rem; }
article { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.5rem 0; }
h3 span { color: light-dark(#0b6bcb, #6cb4ff); }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; }
code { font-size: 0.9em; }
:target { outline: 2px solid light-dark(#0b6bcb, #6cb4ff); outline-offset: 0.25rem; }
`;
