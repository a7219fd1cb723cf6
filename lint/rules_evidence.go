package lint

// Documentation that rules of evidence and tags refer to.
const (
	linkReferrers = "https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers"
	linkCosign    = "https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md"
	linkStatement = "https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md"
	linkSemver    = "https://semver.org"
)

// evidenceRules are about the neighbors of an image in its repository or archive: signatures,
// attestations, SBOMs and other tags. None is about trust, which needs a key.
var evidenceRules = []Rule{
	{
		ID: "evidence-entries", Severity: Note,
		Title: "the index is signed, and images in it are not",
		Reason: "Who verifies the digest of the index finds a signature. podman and CRI-O verify the manifest of " +
			"their platform, Harbor and admission policies each artifact that is pulled or named by its digest: " +
			"they find none, and refuse the image.",
		Instead: "a signature of each: `cosign sign --recursive`",
		Link:    linkCosign,
		Seen: "the images of CloudNativePG, which Harbor refuses so " +
			"([484](https://github.com/cloudnative-pg/postgres-containers/issues/484))",
	},
	{
		ID: "evidence-lost", Severity: Warning,
		Title: "an attestation or a signature, or what it is about, is not there",
		Reason: "A tool has copied or changed the image without it. Verifiers of the image, its provenance or its " +
			"SBOM get `not found`, or take the remainder for tampering.",
		Instead: "a copy with everything that refers to the image: `slipway promote`, `regctl image copy " +
			"--referrers`, `oras cp -r`",
		Link: linkReferrers,
		Seen: "a mirror of OpenShift's releases, whose nodes then refused the images " +
			"([4779](https://github.com/Azure/ARO-RP/pull/4779))",
	},
	{
		ID: "evidence-subject", Severity: Warning,
		Title: "a signature, an attestation or an SBOM is about another image",
		Reason: "The registry lists it under the digest of this image, and its content names another one: verifiers " +
			"refuse it. Programs that change an image, such as those that compress its layers anew, carry evidence " +
			"over so.",
		Instead: "evidence that is made for this digest, after the last change of the image",
		Link:    linkStatement,
	},
	{
		ID: "evidence-unreadable", Severity: Note,
		Title: "the list of signatures and attestations is none",
		Reason: "The answer of the registry is not a list, or is longer than verifiers read. Verification fails, " +
			"whether the image is signed or not.",
		Instead: "a registry that lists referrers, or answers 404 so that clients use the tag in its place",
		Link:    linkReferrers,
	},
	{
		ID: "tag-twin", Severity: Warning,
		Title: "two tags of one version name different images",
		Reason: "v1.2.3 and 1.2.3 are one version to everybody. Which image a user gets depends on how the " +
			"tag is written.",
		Instead: "both tags on one digest, or only one of them",
		Link:    linkSemver,
	},
	{
		ID: "tag-latest", Severity: Note,
		Title: "latest is older than the newest version",
		Reason: "Who names no tag gets latest, and thereby a version that has been replaced. Builds of a patch " +
			"for an older version often move the tag back.",
		Instead: "latest on the newest version, moved forward only, or no such tag",
		Link:    linkSemver,
	},
}
