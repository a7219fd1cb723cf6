// verify.cjs KEY.pub BUNDLE [FILE|sha256:HEX]: sigstore-js verifies a bundle by a key, without a
// network, and prints its statement. FILE is what a bundle of a file signs; a digest has to be a
// subject of the statement.
'use strict';
const fs = require('node:fs');
const { createPublicKey } = require('node:crypto');
const { bundleFromJSON } = require('@sigstore/bundle');
const { Verifier, toSignedEntity, toTrustMaterial } = require('@sigstore/verify');

const [key, file, of] = process.argv.slice(2);
const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
// Whatever key the bundle names, this one has to have signed it.
const trust = toTrustMaterial(none, () => ({ publicKey: createPublicKey(fs.readFileSync(key)), validFor: () => true }));
const verifier = new Verifier(trust, { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 });

const bundle = bundleFromJSON(JSON.parse(fs.readFileSync(file, 'utf8')));
const isDigest = of?.startsWith('sha256:');
verifier.verify(toSignedEntity(bundle, of && !isDigest ? fs.readFileSync(of) : undefined));
if (bundle.content.$case === 'dsseEnvelope') {
  const payload = bundle.content.dsseEnvelope.payload.toString('utf8');
  if (isDigest && !JSON.parse(payload).subject.some((s) => 'sha256:' + s.digest.sha256 === of)) {
    throw new Error(`the statement has no subject ${of}`);
  }
  process.stdout.write(payload);
}
