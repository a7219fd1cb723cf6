// Imagepolicy asks the policy of containers/image, which podman, CRI-O and skopeo have, about an
// image of a registry:
//
//	imagepolicy POLICY.json REGISTRIES.d docker://HOST/NAME@DIGEST
//
// It decides as a copy of that image does: for an index, about the index itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.podman.io/image/v5/docker"
	"go.podman.io/image/v5/image"
	"go.podman.io/image/v5/signature"
	"go.podman.io/image/v5/types"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: imagepolicy POLICY.json REGISTRIES.d //HOST/NAME@DIGEST")
		os.Exit(2)
	}
	if err := ask(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println("accepted")
}

func ask(ctx context.Context, policyFile, registries, ref string) (err error) {
	policy, err := signature.NewPolicyFromFile(policyFile)
	if err != nil {
		return err
	}
	decide, err := signature.NewPolicyContext(policy)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, decide.Destroy()) }()
	parsed, err := docker.ParseReference(ref)
	if err != nil {
		return err
	}
	system := &types.SystemContext{
		RegistriesDirPath:           registries,
		DockerInsecureSkipTLSVerify: types.OptionalBoolTrue,
		SystemRegistriesConfPath:    os.DevNull,
		DockerPerHostCertDirPath:    os.TempDir(),
	}
	source, err := parsed.NewImageSource(ctx, system)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	allowed, err := decide.IsRunningImageAllowed(ctx, image.UnparsedInstance(source, nil))
	if err == nil && !allowed {
		err = errors.New("refused without a reason")
	}
	return err
}
