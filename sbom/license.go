package sbom

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// licenseText is a license that SPDX's list does not have.
type licenseText struct {
	name, text string
	url        string // where the text is; "" if it is not known
}

const licenseRef = "LicenseRef-"

// The license of Windows bases.
const (
	windowsRef = licenseRef + "Microsoft-Windows-Container-Base-Image"
	windowsURL = "https://learn.microsoft.com/virtualization/windowscontainers/images-eula"
)

// isWindowsBase reports whether a repository has base images of Windows, which Microsoft licenses.
func isWindowsBase(repository string) bool {
	return strings.HasPrefix(repository, "mcr.microsoft.com/windows/") || repository == "mcr.microsoft.com/windows"
}

func (g *graph) windowsLicense() string {
	g.licenses[windowsRef] = licenseText{
		name: "Microsoft Software Supplemental License for Windows Container Base Image",
		text: "Windows container base images are licensed by Microsoft under the Microsoft Software Supplemental License for Windows Container Base Image. This document does not repeat its text: " + windowsURL,
		url:  windowsURL,
	}
	return windowsRef
}

// license returns a declared license as an SPDX expression, and "" for none. A text that is not an
// expression becomes a license of its own.
func (g *graph) license(declared string) string {
	if declared == "" {
		return ""
	}
	if refs, ok := expression(declared); ok {
		for _, r := range refs {
			g.licenses[r] = licenseText{name: strings.TrimPrefix(r, licenseRef), text: "The license is declared as " + r + ". Its text is not included here."}
		}
		return declared
	}
	sum := sha256.Sum256([]byte(declared))
	ref := licenseRef + "declared-" + hex.EncodeToString(sum[:4])
	g.licenses[ref] = licenseText{name: declared, text: "The license is declared as: " + declared}
	return ref
}

var licenseID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*\+?$`)

// expression reports whether a text has the form of an SPDX expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/), and returns the LicenseRefs in
// it. Whether SPDX's list has the other licenses is not checked.
func expression(text string) (refs []string, ok bool) {
	tokens := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	depth, operand := 0, true // operand: a license or ( is expected
	for n, t := range tokens {
		switch {
		case t == "(" && operand:
			depth++
		case t == ")" && !operand && depth > 0:
			depth--
		case (t == "AND" || t == "OR") && !operand, t == "WITH" && !operand && tokens[n-1] != ")":
			operand = true
		case operand && t != "AND" && t != "OR" && t != "WITH" && licenseID.MatchString(t):
			operand = false
			if strings.HasPrefix(t, licenseRef) {
				refs = append(refs, t)
			}
		default:
			return nil, false
		}
	}
	return refs, depth == 0 && !operand
}
