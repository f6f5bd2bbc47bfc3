// Is docs/openapi.yaml a valid OpenAPI document?
import path from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { root } from "../paths.mjs";

const result = await new Validator().validate(path.join(root, "docs", "openapi.yaml"));
if (!result.valid) {
  console.error("docs/openapi.yaml is not a valid OpenAPI document:");
  console.error(typeof result.errors === "string" ? result.errors : JSON.stringify(result.errors, null, 2));
  process.exit(1);
}
