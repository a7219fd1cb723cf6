// cyclonedx.cjs BOM: CycloneDX' own library compares a BOM with the schema of version 1.6.
'use strict';
const fs = require('node:fs');
const { Spec, Validation } = require('@cyclonedx/cyclonedx-library');

new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(fs.readFileSync(process.argv[2], 'utf8')).then((found) => {
  if (found !== null) {
    console.error(JSON.stringify(found, null, 1));
    process.exitCode = 1;
  }
});
