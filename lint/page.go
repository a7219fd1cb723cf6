package lint

import (
	"fmt"
	"strings"
)

// pageHead is what docs/rules.md says above the rules.
const pageHead = `# Rules

What ` + "`slipway lint`" + ` finds in a manifest, as does every release in its release.yaml. This page is made from the table in package lint:
` + "`go test ./lint -update`" + ` writes it.

An **error** stops a release: the API server refuses the pod, or a node does not do what the manifest says. A **warning** is shown: the
pod may run, but not everywhere, or not as its author thinks. A **note** works today, but not with every runtime. Of a rule that is an
*error with os.name* the node ignores the field, which is a warning; where ` + "`spec.os.name`" + ` is windows, the API server refuses the pod.
Where a rule says *once for each file*, the text output has the first finding and the number of the others; ` + "`slipway lint -v`" + ` lists all,
as ` + "`-json` and `-sarif`" + ` do.

Where it is meant, a comment with a reason allows a finding, on its line, the line above it, or above the whole object:

` + "```yaml" + `
# slipway:allow windows-sub-path containerd 2 on all our nodes
` + "```" + `

A rendered manifest has no comments; there, ` + "`slipway.yaml`" + ` allows it:

` + "```yaml" + `
lint:
  allow:
    - rule: windows-sub-path
      object: DaemonSet demo/agent              # every object where it is left out
      path: spec.template.spec.containers[0]    # every field where it is left out
      reason: containerd 2 on all our nodes
` + "```" + `

The rules start from the Kubernetes [enhancement for Windows nodes](` + Enhancement + `)
of 2019, which went through the API field by field. Each is what Kubernetes does today; where that differs from the enhancement, *in 2019*
says how. *Refused* is the first Kubernetes release whose API server refuses the field where ` + "`spec.os.name`" + ` is the pod's system; without
` + "`spec.os.name`" + ` most are taken, and the node ignores them. The system of a pod is what its node selector and required node affinity leave,
those of its RuntimeClass in the same manifest included.

Images are looked for in the images of pods and in every other text: arguments, variables, ConfigMaps, Secrets, annotations and custom
resources. There, these forms count: ` + "`ko://…`" + ` and a reference with a digest, anywhere; a reference with a tag to an image of images.txt, and any to
an image of the product, anywhere; ` + "`HOST/PATH:TAG`" + ` as all of a value, where the host has a dot or a port; and ` + "`PATH:TAG`" + ` as the value of something
that is called an image (` + "`--shell-image`, `FOO_IMAGE`, `image:`" + `). A value is the text, a line of it, or what follows a name in its line. Of comments
in ConfigMaps, and of what is called ` + "`_example`" + ` there, only ` + "`ko://`" + ` counts.
`

// Page returns docs/rules.md.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, group := range []struct {
		title string
		rules []Rule
	}{
		{"Objects", objectRules},
		{"The operating system of a pod", systemRules},
		{"Windows pods", podRules},
		{"Windows pods: security context", securityRules},
		{"Windows pods: volumes", volumeRules},
		{"HostProcess pods", hostProcessRules},
		{"Linux pods", linuxRules},
		{"Images", imageRules},
		{"slipway.yaml", productRules},
		{"kpack", kpackRules},
		{"What is allowed", allowRules},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | severity | what |\n|---|---|---|\n", group.title)
		for _, r := range group.rules {
			fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.pageSeverity(), r.Title)
		}
		for _, r := range group.rules {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n\n", r.ID, sentence(r.Title), r.Reason)
			fmt.Fprintf(&b, "- instead: %s\n", r.Instead)
			if r.Since != "" {
				fmt.Fprintf(&b, "- since: Kubernetes %s\n", r.Since)
			}
			if r.Rejected != "" {
				fmt.Fprintf(&b, "- refused: since Kubernetes %s\n", r.Rejected)
			}
			if r.Changed != "" {
				fmt.Fprintf(&b, "- in 2019: %s\n", r.Changed)
			}
			if r.ReleaseOnly {
				b.WriteString("- applies: to all manifests of a release\n")
			}
			switch {
			case r.Folds:
				b.WriteString("- shown: once for each file\n")
			case r.Ignored:
				b.WriteString("- shown: warnings once for each file\n")
			}
			fmt.Fprintf(&b, "- see: <%s>\n", r.Link)
		}
	}
	return b.String()
}

// pageSeverity is the rule's severity as docs/rules.md writes it.
func (r Rule) pageSeverity() string {
	switch {
	case r.Ignored:
		return "warning; error with os.name"
	case r.Strict:
		return "warning; error in a release"
	}
	return string(r.Severity)
}
