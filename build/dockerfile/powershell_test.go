package dockerfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// powerShell evaluates a line for PowerShell on a base with a few files.
func powerShell(t *testing.T, line string) (dockerfile.Result, error) {
	t.Helper()
	in := dockerfiletest.Load(t, txtar.Parse([]byte(`-- Dockerfile --
# escape=`+"`"+`
FROM servercore
WORKDIR C:\w
COPY a a
COPY dir dir
COPY z.zip not.txt .
SHELL ["powershell", "-Command"]
RUN `+line+`
-- context/a --
a
-- context/not.txt --
n
-- context/dir/b --
b
-- images/servercore --
layer
dir 755 0:0 Windows
file 644 0:0 Windows/old.txt "old"
link Windows/link old.txt
`))).Input
	must(t, os.WriteFile(filepath.Join(in.Context, "z.zip"), zipped(t, "d/", "d/f", "g"), 0o600))
	var err error
	in.Platform, err = platform.Parse("windows/amd64:ltsc2022")
	must(t, err)
	return dockerfile.Build(t.Context(), in)
}

// TestPowerShellRefuses checks what is refused of PowerShell, or would fail there.
func TestPowerShellRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{
			"Copy-Item a b; Set-Content x 'y'",
			"8:20: RUN Set-Content needs PowerShell on a machine of the image's system",
		},
		{
			"Invoke-WebRequest -Uri https://a.example/x -OutFile x",
			"RUN Invoke-WebRequest: no command is run here: use ADD --checksum=sha256:",
		},
		{
			"iex ((New-Object Net.WebClient).DownloadString('https://a'))",
			"is not known here: commands with plain names and plain arguments are",
		},
		{"(iwr https://a.example/x).Content", "RUN powershell: no command is run here: use ADD --checksum=sha256:"},
		{"[Environment]::SetEnvironmentVariable('A', 'b')", "is not known here"},
		{"if (Test-Path a) { Remove-Item a }", "(Test-Path is not known here"},
		{"Copy-Item a $env:TEMP", "$env:TEMP is known only when the command runs"},
		{"Copy-Item a $HOME", "$HOME is not known here: write the value, or $env:NAME"},
		{"Copy-Item a b | Write-Host", "| is not known here"},
		{"Copy-Item a `b", "is not known here"},
		{"Copy-Item a b > c", "> is not known here"},
		{"& .\\a.exe", "& is not known here"},
		{".\\a.exe", "needs PowerShell on a machine"},
		{"Copy-Item a b -Filter *.x", "-Filter is not known here (known are -path -destination -force -recurse)"},
		{"Copy-Item a b -Re", "-Re is not known here"},
		{"Copy-Item -Path a -Path b c", "-Path is there twice"},
		{"Copy-Item a b c", "c is one value too many"},
		{"Copy-Item a", "write its -destination"},
		{"Copy-Item a -Destination", "-Destination has no value"},
		{"Copy-Item 'a b", "a quote does not end"},
		{"Copy-Item 'a'b c", "stands behind a quote"},
		{"Copy-Item a, ,b c", "a value is missing beside a comma"},
		{"Copy-Item none b", "none is not there"},
		{"Copy-Item dir d", "is a directory, of which nothing is copied without -Recurse"},
		{"Copy-Item dir dir -Recurse", "cannot be copied to itself"},
		{"mkdir d; Copy-Item dir d -Recurse; Copy-Item dir d -Recurse", "/w/d/dir already exists"},
		{"Copy-Item a none\\b", "there is no directory /w/none: make it before"},
		{"Copy-Item a none\\", "there is no directory none\\: make it before"},
		{"Copy-Item C:\\Windows\\link b", "is a link, which PowerShell follows or not"},
		{"Copy-Item C:\\Windows b -Recurse", "/Windows/link is a link"},
		{"Copy-Item C:\\Windows\\o* b", "matches old.txt of the base, which may be hidden"},
		{"Copy-Item C:\\*\\a b", "is not a plain path, or one with * in its last part"},
		{"Copy-Item [ab] b", "is not known here"},
		{"Copy-Item '[ab]' b", "is not a plain path"},
		{"Copy-Item * none", "there is no directory none to copy them to"},
		{"Copy-Item HKLM:\\x b", "is not a plain path on drive C"},
		{"New-Item x", "write its -itemtype"},
		{"New-Item x -ItemType SymbolicLink", "only items of the type Directory and File are known here"},
		{"New-Item dir -ItemType Directory", "dir already exists"},
		{"New-Item x\\y -ItemType File", "there is no directory /w/x"},
		{"New-Item a -ItemType Directory -Force", "a already exists"},
		{"Move-Item a not.txt", "/w/not.txt already exists"},
		{"Rename-Item a not.txt", "/w/not.txt already exists"},
		{"Rename-Item a dir\\x", "-NewName is a name without a directory"},
		{"Remove-Item none", "none is not there"},
		{"Remove-Item none -ErrorAction SilentlyContinue", "none is not there"},
		{"Remove-Item dir", "dir is not empty"},
		{"Remove-Item C:\\w -Recurse", "has the working directory in it"},
		{"Expand-Archive z.zip", "write its -destinationpath"},
		{"Expand-Archive not.txt x", "does not end in .zip"},
		{"Expand-Archive z.zip x; Expand-Archive z.zip x", "already exists: use -Force"},
		{"$x = 'y'", "$x is not known here"},
		{"$ErrorActionPreference = Stop; mkdir x", "write its value in quotes"},
	} {
		if _, err := powerShell(t, c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.line, err, c.want)
		}
	}
}

// TestPowerShell checks which files lines leave, beside those of the golden files.
func TestPowerShell(t *testing.T) {
	for line, want := range map[string]string{
		"Expand-Archive -Path z.zip -DestinationPath C:\\x\\y; " +
			"Expand-Archive z.zip C:\\x\\y -Force": "/x /x/y /x/y/d /x/y/d/f /x/y/g",
		"Copy-Item A, 'not.txt' dir -Force":                 "/w/dir/A /w/dir/not.txt",
		"Copy-Item no?.TXT dir; Move-Item z*,a dir":         "/w/dir/a /w/dir/not.txt /w/dir/z.zip",
		"mkdir \\\"x  y\\\"; mkdir \"p\"":                   "/w/p /w/x y",
		"Remove-Item C:\\WINDOWS\\o* -Force; rm *.none":     "",
		"$progresspreference='SilentlyContinue'\t;mkdir\tm": "/w/m",
		"New-Item -Type File -Force -Path n\\e, f":          "/w/f /w/n /w/n/e",
		"Copy-Item -Recurse C:\\w\\* C:\\all":               "error",
	} {
		r, err := powerShell(t, line)
		if want == "error" {
			if err == nil {
				t.Errorf("%s: no error", line)
			}
			continue
		}
		must(t, err)
		var made []string
		for _, e := range r.Layers[len(r.Layers)-1].Entries {
			if e.Type != layer.Whiteout && strings.Contains(r.Layers[len(r.Layers)-1].CreatedBy, "RUN") {
				made = append(made, e.Path)
			}
		}
		slices.Sort(made)
		if got := strings.Join(made, " "); got != want {
			t.Errorf("%s: it leaves %q, want %q", line, got, want)
		}
	}
}
