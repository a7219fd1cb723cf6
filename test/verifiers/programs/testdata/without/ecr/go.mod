module github.com/awslabs/amazon-ecr-credential-helper/ecr-login

go 1.26.8
