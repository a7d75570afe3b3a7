// Shows the OpenAPI document of this server. Everything is set as text, never as markup.
"use strict";

const element = (name, text, parent) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
};

const typeOf = (schema, all) => {
  if (!schema) return "";
  if (schema.$ref) return typeOf(all[schema.$ref.split("/").pop()], all);
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.oneOf || schema.anyOf) {
    return (schema.oneOf || schema.anyOf).map((one) => one.const || typeOf(one, all)).join(" | ");
  }
  const types = Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type || "any";
  return schema.items ? `${types} of ${typeOf(schema.items, all)}` : types;
};

const fields = (rows, parent) => {
  if (!rows.length) return;
  const table = element("table", "", parent);
  const head = element("tr", "", table);
  for (const title of ["field", "type", "what it is"]) element("th", title, head);
  for (const [name, type, words] of rows) {
    const row = element("tr", "", table);
    element("code", name, element("td", "", row));
    element("td", type, row);
    element("td", words, row);
  }
};

const show = (api) => {
  const all = api.components.schemas;
  document.getElementById("about").textContent = `${api.info.description} Version ${api.info.version}.`;
  const main = document.getElementById("operations");
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const entry = element("details", "", main);
      const head = element("summary", "", entry);
      element("span", method.toUpperCase(), head).className = "method";
      element("code", path, head);
      element("span", ` ${operation.summary}`, head);
      fields((operation.parameters || []).map((one) => [
        `${one.name}${one.required ? " *" : ""}`, `${typeOf(one.schema, all)} (${one.in})`, one.description || "",
      ]), entry);
      const content = operation.requestBody && operation.requestBody.content;
      const schema = content && content["application/json"] && content["application/json"].schema;
      if (schema) {
        const required = schema.required || [];
        fields(Object.entries(schema.properties || {}).map(([name, one]) => [
          `${name}${required.includes(name) ? " *" : ""}`, typeOf(one, all), one.description || "",
        ]), entry);
      }
      element("pre", JSON.stringify(operation, null, 2), element("details", "", entry));
    }
  }
};

fetch("openapi.json").then((answer) => answer.json()).then(show, (error) => {
  document.getElementById("about").textContent = String(error);
});
