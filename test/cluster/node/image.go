package node

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
)

// pull lays an image's files for Linux out in a directory.
func pull(ctx context.Context, image, dir string, o ...remote.Option) (*v1.ConfigFile, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return nil, err
	}
	o = append(o, remote.WithContext(ctx), remote.WithPlatform(v1.Platform{OS: "linux", Architecture: "amd64"}))
	img, err := remote.Image(ref, o...)
	if err != nil {
		return nil, fmt.Errorf("pulling %s: %w", image, err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("pulling %s: %w", image, err)
	}
	files := mutate.Extract(img)
	defer files.Close()
	if err := unpack(tar.NewReader(files), dir); err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", image, err)
	}
	return config, nil
}

// unpack writes an archive below a directory, which nothing in it can leave.
func unpack(r *tar.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := entry(root, h, r); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

func entry(root *os.Root, h *tar.Header, r io.Reader) error {
	path := strings.Trim(h.Name, "/")
	if path == "" || path == "." {
		return nil
	}
	mode := h.FileInfo().Mode().Perm() | h.FileInfo().Mode()&os.ModeSticky
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(path, 0o755); err != nil {
			return err
		}
	case tar.TypeReg:
		if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil { // as container runtimes do
			return err
		}
		f, err := root.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		if _, err := io.Copy(f, r); err != nil {
			return errors.Join(err, f.Close())
		}
		if err := f.Close(); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, path)
	case tar.TypeLink:
		return root.Link(strings.Trim(h.Linkname, "/"), path)
	default:
		return fmt.Errorf("entries of type %q are not supported", h.Typeflag)
	}
	if err := root.Chown(path, h.Uid, h.Gid); err != nil {
		return err
	}
	return root.Chmod(path, mode)
}

// command is what a container runs, with the user that the pod and the image agree on.
func command(pod *corev1.Pod, c *corev1.Container, config *v1.ConfigFile, root string) (*exec.Cmd, error) {
	program, args := config.Config.Entrypoint, config.Config.Cmd
	if len(c.Command) > 0 {
		program, args = c.Command, nil
	}
	if len(c.Args) > 0 {
		args = c.Args
	}
	line := append(append([]string{}, program...), args...)
	if len(line) == 0 {
		return nil, fmt.Errorf("neither the pod nor %s says what to run", c.Image)
	}
	uid, gid, err := user(pod, c, config)
	if err != nil {
		return nil, err
	}
	dir := config.Config.WorkingDir
	if c.WorkingDir != "" {
		dir = c.WorkingDir
	}
	if dir == "" {
		dir = "/"
	}
	if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil { // as container runtimes do
		return nil, err
	}
	return &exec.Cmd{
		Path: line[0], Args: line, Dir: dir,
		SysProcAttr: &syscall.SysProcAttr{
			Chroot: root, Credential: &syscall.Credential{Uid: uid, Gid: gid},
			Setpgid: true,
		},
	}, nil
}

// user follows the kubelet: what must not run as root needs a user that is a number and not 0.
func user(pod *corev1.Pod, c *corev1.Container, config *v1.ConfigFile) (uid, gid uint32, err error) {
	var nonRoot bool
	run, group, _ := strings.Cut(config.Config.User, ":")
	if s := pod.Spec.SecurityContext; s != nil {
		nonRoot = s.RunAsNonRoot != nil && *s.RunAsNonRoot
		if s.RunAsUser != nil {
			run = strconv.FormatInt(*s.RunAsUser, 10)
		}
	}
	if s := c.SecurityContext; s != nil {
		nonRoot = nonRoot || s.RunAsNonRoot != nil && *s.RunAsNonRoot
		if s.RunAsUser != nil {
			run = strconv.FormatInt(*s.RunAsUser, 10)
		}
	}
	id, err := strconv.ParseUint(run, 10, 32)
	if run == "" {
		id, err = 0, nil
	}
	if err != nil || nonRoot && id == 0 {
		return 0, 0, fmt.Errorf("it must not run as root, and the user of %s is %q", c.Image, config.Config.User)
	}
	g, err := strconv.ParseUint(group, 10, 32)
	if err != nil {
		g = id
	}
	return uint32(id), uint32(g), nil
}
