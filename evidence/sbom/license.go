package sbom

import (
	"crypto/sha256"
	_ "embed" // of the list of licenses
	"encoding/hex"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
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
		text: "Windows container base images are licensed by Microsoft under the Microsoft Software Supplemental " +
			"License for Windows Container Base Image. This document does not repeat its text: " + windowsURL,
		url: windowsURL,
	}
	return windowsRef
}

// license returns a declared license as an SPDX expression, and "" for none. A text that is not an
// expression becomes a license of its own.
func (g *graph) license(declared string) string {
	if declared == "" {
		return ""
	}
	if text, refs, ok := expression(declared); ok {
		for _, r := range refs {
			g.licenses[r] = licenseText{
				name: strings.TrimPrefix(r, licenseRef),
				text: "The license is declared as " + r + ". Its text is not included here.",
			}
		}
		return text
	}
	sum := sha256.Sum256([]byte(declared))
	ref := licenseRef + "declared-" + hex.EncodeToString(sum[:4])
	g.licenses[ref] = licenseText{name: declared, text: "The license is declared as: " + declared}
	return ref
}

// listed are the licenses of SPDX's list (https://spdx.org/licenses/), by their names in small
// letters, since an expression may have them in any case.
var listed = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for id := range strings.FieldsSeq(licenses) {
		all[strings.ToLower(id)] = id
	}
	return all
})

//go:embed licenses.txt
var licenses string

var (
	ownLicense = lazyregexp.New(`^` + licenseRef + `[A-Za-z0-9.-]+$`)
	exception  = lazyregexp.New(
		`^[A-Za-z0-9.-]*-exception[A-Za-z0-9.-]*$|^(GPL-CC-1\.0|Linux-syscall-note|LLGPL|SHL-2\.[01])$`)
)

// listedAs returns a license as SPDX's list has it; "" for one that the list lacks.
func listedAs(text string) string {
	id, later := strings.CutSuffix(text, "+")
	if id = listed()[strings.ToLower(id)]; id != "" && later {
		id += "+"
	}
	return id
}

// expression reports whether a text is an SPDX expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/) of listed licenses and
// LicenseRefs, and returns it as the specification writes it, and the LicenseRefs in it.
func expression(text string) (written string, refs []string, ok bool) {
	tokens := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	depth, operand := 0, true // operand: a license or ( is expected
	for n, t := range tokens {
		switch id := listedAs(t); {
		case t == "(" && operand:
			depth++
		case t == ")" && !operand && depth > 0:
			depth--
		case (t == "AND" || t == "OR") && !operand, t == "WITH" && !operand && tokens[n-1] != ")":
			operand = true
		case operand && n > 0 && tokens[n-1] == "WITH":
			if !exception.MatchString(t) {
				return "", nil, false
			}
			operand = false
		case operand && id != "":
			operand, tokens[n] = false, id
		case operand && ownLicense.MatchString(t):
			operand = false
			refs = append(refs, t)
		default:
			return "", nil, false
		}
	}
	written = strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(tokens, " "))
	return written, refs, depth == 0 && !operand
}
