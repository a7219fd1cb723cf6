package containerfile_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

const runBase = `
-- images/base --
layer
dir 755 0:0 etc
file 644 0:0 etc/passwd "root:x:0:0::/:\n"
file 644 0:0 etc/hosts ""
file 644 0:0 etc/motd "hello"
dir 755 0:0 full/dir
dir 755 0:0 other/full/dir
link dangling nowhere
link etclink full
`

// runLine evaluates one RUN on a base with a few files.
func runLine(t *testing.T, line, on string, evaluate evaluation, change func(in *containerfile.Input)) error {
	t.Helper()
	c := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\nFROM base\nRUN "+line+"\n"+runBase)))
	var err error
	c.Input.Platform, err = platform.Parse(on)
	must(t, err)
	change(&c.Input)
	_, err = evaluate(t, c.Input)
	return err
}

// TestRunFails checks the errors of lines that would fail, or have no certain result.
func TestRunFails(t *testing.T) {
	for _, c := range []struct{ on, line, want string }{
		{"linux/amd64", "rm /none", "2:8: RUN rm: /none is not there: use rm -f"},
		{"linux/amd64", "rm /etc", "use rm -r"},
		{"linux/amd64", "useradd app", "RUN useradd: the base has no useradd"},
		{"linux/amd64", "update-ca-certificates", "RUN update-ca-certificates needs a machine of the image's system"},
		{
			"linux/amd64", "mkdir /sbin && touch /sbin/useradd && useradd --nosuch app",
			"useradd: option --nosuch is not supported",
		},
		{
			"linux/amd64", "mkdir /sbin && touch /sbin/useradd && /sbin/useradd root",
			"RUN /sbin/useradd: user 'root' already exists",
		},
		{"windows/amd64:ltsc2022", "useradd app", "RUN useradd needs a machine"},
		{"linux/amd64", "rm -r /etc", "cannot be removed while RUN runs"},
		{"linux/amd64", "rm -rf / .", "is not removed"},
		{"linux/amd64", "rm", "names no file"},
		{"linux/amd64", "mkdir /a/b", "directory /a does not exist: make it before, with mkdir -p"},
		{"linux/amd64", "mkdir /etc", "/etc already exists"},
		{"linux/amd64", "mkdir -p /etc/motd", "/etc/motd already exists"},
		{"linux/amd64", "mkdir ''", "the name of a file is empty"},
		{"linux/amd64", "mkdir -m rwx /x", "mode rwx is neither octal"},
		{"linux/amd64", "mkdir -m", "option -m has no value"},
		{"linux/amd64", "adduser -D app", "write USER and --chown by number"},
		{"linux/amd64", "cp /etc/motd /proc/x", "/proc is not the image's own while RUN runs"},
		{"linux/amd64", "echo x >> /etc/hosts", "/etc/hosts is not the image's own"},
		{"linux/amd64", "echo x > /etc", "/etc is a directory"},
		{"linux/amd64", "echo x > /none/x", "directory /none does not exist"},
		{"linux/amd64", "cp /etc /x", "/etc is a directory: use cp -r"},
		{"linux/amd64", "cp /etc/motd /dangling", "a symbolic link to nothing"},
		{"linux/amd64", "cp /etc/motd /etc/passwd /x", "/x is not a directory"},
		{"linux/amd64", "cp /etc/motd /x/", "not a directory"},
		{"linux/amd64", "cp /etc/motd", "has no destination after it"},
		{"linux/amd64", "cp -aL /etc/motd /x", "contradict each other"},
		{"linux/amd64", "cp -r /full /full/dir", "cannot be copied into itself"},
		{"linux/amd64", "cp /etc/motd /etc/motd", "are one file"},
		{"linux/amd64", "mv /full /full/dir", "cannot be moved into itself"},
		{"linux/amd64", "mv /full /other", "/other/full is not empty: it has dir"},
		{"linux/amd64", "mv /etc/motd /none/", "not a directory"},
		{"linux/amd64", "rm -rf /etclink/", "/etclink/ is a link: write it without the slash"},
		{"linux/amd64", "rmdir /etclink/", "/etclink/ is a link: write it without the slash"},
		{"linux/amd64", "mv /etclink/ /x", "/etclink/ is a link: write it without the slash"},
		{
			"linux/amd64", "mkdir /x /y && echo a > /x/motd && cp /etc/motd /x/motd /y",
			"/y/motd was made by the same command",
		},
		{
			"linux/amd64", "mkdir /x /y && echo a > /x/motd && mv /etc/motd /x/motd /y",
			"/y/motd was made by the same command",
		},
		{"linux/amd64", "cp -r /full/.* /x", "matches . in some shells"},
		{"linux/amd64", "rmdir /full", "is not empty: it has dir"},
		{"linux/amd64", "ln -s x /etc/motd", "already exists: use ln -sf"},
		{"linux/amd64", "ln -s", "it has 0 operands"},
		{"linux/amd64", "chmod 99999 /etc/motd", "mode 99999 is neither octal"},
		{"linux/amd64", "chmod -R 755 /", "-R of / is not done here"},
		{"linux/amd64", "chmod 755 /dangling", "is not there"},
		{"linux/amd64", "chown nobody /etc/motd", `does not know "nobody"`},
		{"linux/amd64", "chown a.b /etc/motd", "is not a user"},
		{"linux/amd64", "cd /etc/motd", "is not a directory"},
		{"linux/amd64", "cd /full && rm -r /full", "has the working directory in it"},
		{
			"linux/amd64", "curl -o /x https://example.com/x",
			"2:16: https://example.com/x is downloaded, and nothing compares it with a checksum",
		},
		{"linux/amd64", "wget https://example.com/x.tgz && tar xf x.tgz", "nothing compares it with a checksum"},
		{"linux/amd64", "curl -o /x http://example.com/x", "plain http is not used"},
		{"linux/amd64", "curl -o /x https://u:p@example.com/x", "the address has a password in it"},
		{"linux/amd64", "curl -o /x ftp://example.com/x", "not an address that begins with https://"},
		{"linux/amd64", "curl -o /x https://a.example/x https://a.example/y", "write a command for each"},
		{"linux/amd64", "curl -o /x -o /y https://a.example/x", "option -o has two values"},
		{"linux/amd64", "curl -H Token:x -o /x https://a.example/x", "option -H is not supported"},
		{"linux/amd64", "curl https://a.example/x", "which goes nowhere: write -o FILE"},
		{"linux/amd64", "curl -O https://a.example/", "has no file name: write -o FILE"},
		{"linux/amd64", "curl -o /etc https://a.example/x", "/etc is a directory"},
		{"linux/amd64", "wget 'https://a.example/x?y=z'", "write -O FILE"},
		{
			"linux/amd64", "curl -sL https://a.example/x.tgz | tar xz",
			"nothing compares the download with a checksum before it is unpacked",
		},
		{"linux/amd64", "curl -sL https://a.example/x.sha256 | sha256sum -c -", "the checksum is downloaded, too"},
		{"linux/amd64", "curl -sL https://a.example/x | sh", "RUN sh needs a machine"},
		{"linux/amd64", "sha256sum /etc/motd", "without -c it prints a checksum"},
		{"linux/amd64", "shasum -a 512 -c /etc/motd", "-a 512 is not supported: write -a 256"},
		{"linux/amd64", "sha256sum -c /etc/motd", "is not a line of a checksum"},
		{"linux/amd64", "sha256sum -c", "it has no input"},
		{
			"linux/amd64", "echo " + strings.Repeat("0", 64) + "  /etc/motd | shasum -a 256 -c",
			"/etc/motd has the checksum 2cf24dba",
		},
		{"linux/amd64", "echo " + strings.Repeat("0", 64) + "  /none | sha256sum -c", "/none is not there"},
		{"linux/amd64", "date | sha256sum -c", "its output is unknown"},
		{"linux/amd64", "tar cf /x /etc", "option -c is not supported"},
		{"linux/amd64", "tar -x", "name the archive with -f FILE"},
		{"linux/amd64", "tar xf /etc/motd", "/etc/motd is not an archive"},
		{"linux/amd64", "tar xf /none", "/none is not there"},
		{"linux/amd64", "tar xf /etc/motd -C /none", "/none is not there"},
		{"linux/amd64", "tar xf /etc/motd motd -C /etc", "write -C before the members"},
		{"linux/amd64", "tar xf /etc/motd '*.exe'", "patterns are not supported"},
		{"linux/amd64", "tar xf /etc/motd --strip-components=x", "is not a number"},
		{"linux/amd64", "unzip /etc/motd", "/etc/motd is not a zip archive"},
		{"linux/amd64", "unzip -P x /etc/motd", "option -P is not supported"},
		{"linux/amd64", "make build", "declare the programs that it compiles under programs"},
		{"linux/amd64", "git clone https://a.example/x", "make the repository a source"},
		{"windows/amd64:ltsc2022", `curl.exe -L -o x https://a.example/x`, "use ADD --checksum=sha256:"},
		{
			"windows/amd64:ltsc2022", `powershell -Command Invoke-WebRequest -Uri https://a.example/x -OutFile x`,
			"use ADD --checksum=sha256:",
		},
		{
			"windows/amd64:ltsc2022", `["pwsh", "-Command", "Expand-Archive -Path x.zip -DestinationPath C:\\x"]`,
			"RUN with the shell pwsh: no command is run here: use ADD --unpack",
		},
		{"windows/amd64:ltsc2022", `tar -xf C:\etc\motd`, "is not an archive"},
		{"linux/amd64", "printf %d 5 > /x", "more than %s"},
		{"linux/amd64", `printf '\x41' > /x`, "not known in all shells"},
		{"linux/amd64", "POSIXLY_CORRECT=1; mkdir /x", "changes how the shell reads the line"},
		{
			"linux/amd64", "mkdir /y\nENV TAR_OPTIONS=-v\nRUN mkdir /x",
			"RUN with the variable TAR_OPTIONS, which changes what its commands do",
		},
		{"linux/amd64", "set -u; mkdir /$NONE", "is not set"},
		{"windows/amd64:ltsc2022", `setx PATH "x"`, "write setx /M"},
		{"windows/amd64:ltsc2022", `setx /M PATH`, "it is not setx /M NAME"},
		{"windows/amd64:ltsc2022", `setx /M PATH "C:\x\"`, "leave the backslash out"},
		{"windows/amd64:ltsc2022", `mkdir C:/x`, "write paths with backslashes"},
		{"windows/amd64:ltsc2022", `copy C:\etc\motd C:/etc/x`, "write paths with backslashes"},
		{"windows/amd64:ltsc2022", `mkdir C:\etc`, "already exists"},
		{"windows/amd64:ltsc2022", `mkdir D:\x`, "not a plain path on drive C"},
		{"windows/amd64:ltsc2022", `copy C:\none x`, "is not there"},
		{"windows/amd64:ltsc2022", `copy C:\etc C:\x`, "copy takes files only"},
		{"windows/amd64:ltsc2022", `copy *.txt x`, "not a plain path"},
		{"windows/amd64:ltsc2022", `del /S C:\etc\motd`, "option /S is not supported"},
		{"windows/amd64:ltsc2022", `del C:\etc`, "is a directory"},
		{"windows/amd64:ltsc2022", `mklink /J x C:\etc`, "option /J is not supported"},
		{"windows/amd64:ltsc2022", `mklink x C:\etc`, "a link to a directory"},
		{"windows/amd64:ltsc2022", `mkdir x || mkdir y`, "| is not supported in a line for cmd"},
		{"windows/amd64:ltsc2022", `mkdir ^x`, "has a meaning of its own in cmd"},
		{"windows/amd64:ltsc2022", `mkdir "x`, "a quote does not end"},
		{"windows/amd64:ltsc2022", `["mkdir", "C:\\\\x"]`, "is a command of the shell"},
		{
			"windows/amd64:ltsc2022", "mkdir C:\\x\nSHELL [\"powershell\", \"-Command\"]\nRUN New-Item x",
			"RUN with the shell powershell is not supported: write SHELL [\"cmd\", \"/S\", \"/C\"] above it",
		},
		{"windows/amd64:ltsc2022", `powershell -Command Get-Item x`, "RUN powershell needs a machine of the image's system"},
	} {
		err := runLine(t, c.line, c.on, build, func(*containerfile.Input) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("RUN %s: %v, want %q", c.line, err, c.want)
		}
	}
}

// TestRunOnStub checks lines on a stub base: what they write is written, and what they would read
// is an error. A check reports it for a snapshot, and otherwise does not know whether it is one.
func TestRunOnStub(t *testing.T) {
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"mkdir -p /opt/app && touch /opt/app/x && chmod 755 /opt/app", true},
		{"mkdir /opt && echo x > /new/file && rm /opt/x /new/file", false},
		{"mkdir /opt && rm -r /opt", true},
		{"rm -rf /var/cache", false},
		{"cp /bin/tool /x", false},
		{"chown app /etc", true},
		{"chmod -R g+w /etc/app && mkdir /x && chgrp root /x /y", true},
		{"useradd app && /usr/sbin/setcap cap_kill=ep /x", true},
		{"groupadd -r app && useradd -r -g app app && mkdir /opt && chown app:app /opt", true},
		{"setcap cap_net_raw=+ep /usr/bin/ping", true},
		{"mkdir /opt && chown app:app /opt && chgrp app /opt && chown root: /opt", true},
		{"echo x >> /etc/motd", false},
		{"rm -f /tmp/*", false},
	} {
		for _, mode := range []string{"build", "check", "check of a snapshot"} {
			evaluate := evaluation(check)
			if mode == "build" {
				evaluate = build
			}
			err := runLine(t, c.line, "linux/amd64", evaluate, func(in *containerfile.Input) {
				there := in.Base
				in.Snapshot = mode != "check"
				in.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
					b, err := there(ctx, name, p)
					b.Info.Stub = true
					b.Image = dockerfiletest.Image(t, []byte("layer\n"), p)
					return b, err
				}
			})
			switch {
			case c.ok || mode == "check":
				if err != nil {
					t.Errorf("%s: RUN %s on a stub base: %v", mode, c.line, err)
				}
			case err == nil || !strings.Contains(err.Error(), "the files of the base are unknown"):
				t.Errorf("%s: RUN %s on a stub base: %v", mode, c.line, err)
			}
		}
	}
}

// TestNotToolchain checks that a word of a command that compiles nothing leaves a stage its base,
// with what that sets.
func TestNotToolchain(t *testing.T) {
	c := dockerfiletest.Load(t, txtar.Parse([]byte(`-- Dockerfile --
FROM base AS conf
RUN printf '%s\n' "certs: $CERTS" "# do not make changes by hand, go on" > app.yaml
FROM scratch
COPY --from=conf /home/app.yaml /
-- images/base --
config {"Env":["CERTS=/etc/certs"],"WorkingDir":"/home"}
layer
dir 755 0:0 home
`)))
	c.Input.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	r, err := build(t, c.Input)
	must(t, err)
	f, err := r.Layers[0].Entries[0].Content.Open()
	must(t, err)
	defer f.Close()
	got, err := io.ReadAll(f)
	must(t, err)
	if want := "certs: /etc/certs\n# do not make changes by hand, go on\n"; string(got) != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// TestCheckSnapshot checks that a check of a snapshot reports a RUN that takes files of a stub, and
// none that takes those of an archive, which a check does not read.
func TestCheckSnapshot(t *testing.T) {
	const sum = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, c := range []struct{ lines, want string }{
		{"RUN rm /usr/bin/tool", "2:5: RUN rm: /usr/bin/tool: the files of the base are unknown, " +
			"since a snapshot replaces it by a stub"},
		{"COPY --from=base /usr/bin /x/\nRUN cp /x/tool /y", "the files of the base are unknown"},
		{"ADD --unpack --checksum=" + sum + " https://a.example/a.tgz /opt\nRUN chmod 755 /opt/tool", ""},
		{"COPY --from=archive /a/ /opt/\nRUN chmod 755 /opt/tool", ""},
	} {
		text := "-- Dockerfile --\nFROM scratch AS archive\nADD --unpack --checksum=" +
			sum + " https://a.example/b.tgz /a\nFROM base\n" + c.lines + "\n" + runBase
		if !strings.Contains(c.lines, "archive") {
			text = "-- Dockerfile --\nFROM base\n" + c.lines + "\n" + runBase
		}
		in := dockerfiletest.Load(t, txtar.Parse([]byte(text))).Input
		in.Platform, in.Snapshot = platform.Platform{OS: "linux", Architecture: "amd64"}, true
		there := in.Base
		in.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
			b, err := there(ctx, name, p)
			b.Info.Stub = true
			b.Image = dockerfiletest.Image(t, []byte("layer\n"), p)
			return b, err
		}
		_, err := check(t, in)
		if c.want == "" {
			must(t, err)
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
}

// TestStubModes checks that modes and owners of a stub's files are left to a release, with a note.
func TestStubModes(t *testing.T) {
	in := dockerfiletest.Load(t,
		txtar.Parse([]byte("-- Dockerfile --\nFROM base\nCOPY x /etc/x/\nRUN chmod 1777 /tmp && "+
			"chmod 600 /etc/x/x\nRUN chown -R 5:5 /etc/x\n-- context/x --\n"+runBase))).Input
	in.Platform, in.Snapshot, in.Shown = platform.Platform{OS: "linux", Architecture: "amd64"}, true, "Dockerfile"
	there := in.Base
	in.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
		b, err := there(ctx, name, p)
		b.Info.Stub = true
		b.Image = dockerfiletest.Image(t, []byte("layer\n"), p)
		return b, err
	}
	r, err := build(t, in)
	must(t, err)
	note, err := r.CheckStart(false)
	must(t, err)
	const want = "Dockerfile:3:5: RUN chmod 1777 /tmp: a snapshot leaves the files of the base as they are, " +
		"since a stub replaces it; a release to a registry changes them\n" +
		"Dockerfile:4:5: RUN chown -R 5:5 /etc/x: a snapshot"
	if !strings.HasPrefix(note, want) {
		t.Errorf("note %q, want %q", note, want)
	}
	last := r.Layers[len(r.Layers)-1].Entries
	if e := last[len(last)-1]; e.Path != "/etc/x/x" || e.Mode != 0o600 || e.UID != 5 {
		t.Errorf("the last file is %+v", e)
	}
}
